//! `tlsConfiguration`: OpenShift's profiles in `KubeVirt`'s words. Mirrors `hcTLSSecurityProfileToKv`.

use super::{Place, Spec, mapping, texts};
use crate::openshift::OpenShift;
use crate::yaml::Node;

const PROFILE: Place = Place {
    beta: "tlsSecurityProfile",
    v1: "security.tlsSecurityProfile",
};

/// Ciphers of the profiles `Intermediate` and `Old`, under OpenSSL's names and those of IANA. The first six are those of
/// `Intermediate`. Profiles hold more ciphers; the others have no name that `KubeVirt` takes.
const CIPHERS: [(&str, &str); 18] = [
    (
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    ),
    (
        "ECDHE-RSA-AES128-GCM-SHA256",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    ),
    (
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    ),
    (
        "ECDHE-RSA-AES256-GCM-SHA384",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    ),
    (
        "ECDHE-ECDSA-CHACHA20-POLY1305",
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    ),
    (
        "ECDHE-RSA-CHACHA20-POLY1305",
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    ),
    (
        "ECDHE-ECDSA-AES128-SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    ),
    (
        "ECDHE-RSA-AES128-SHA256",
        "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    ),
    (
        "ECDHE-ECDSA-AES128-SHA",
        "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    ),
    ("ECDHE-RSA-AES128-SHA", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    (
        "ECDHE-ECDSA-AES256-SHA",
        "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    ),
    ("ECDHE-RSA-AES256-SHA", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
    ("AES128-GCM-SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    ("AES256-GCM-SHA384", "TLS_RSA_WITH_AES_256_GCM_SHA384"),
    ("AES128-SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA256"),
    ("AES128-SHA", "TLS_RSA_WITH_AES_128_CBC_SHA"),
    ("AES256-SHA", "TLS_RSA_WITH_AES_256_CBC_SHA"),
    ("DES-CBC3-SHA", "TLS_RSA_WITH_3DES_EDE_CBC_SHA"),
];

/// Ciphers of TLS 1.3, which the operator names from 4.19 on.
const TLS_1_3: [&str; 3] = [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
];

const INTERMEDIATE: usize = 6;

/// The section. Without a profile in the object that of the cluster's API server holds, which is `Intermediate` unless
/// somebody set it.
pub(super) fn configuration(spec: &Spec<'_>) -> Node {
    let profile = spec.at(PROFILE);
    let newest: &[&str] = if spec.release >= OpenShift::V4_19 {
        &TLS_1_3
    } else {
        &[]
    };
    let of_profile = |count: usize| {
        let listed = CIPHERS[..count].iter().map(|(_, name)| *name);
        newest.iter().copied().chain(listed).collect::<Vec<_>>()
    };
    let custom = profile.and_then(|profile| profile.get("custom"));
    let (ciphers, least) = match custom.filter(|custom| !custom.is_null()) {
        Some(custom) => {
            let named = custom.items_at("ciphers").iter().filter_map(Node::as_str);
            (
                named.filter_map(iana).collect(),
                custom.str_at("minTLSVersion"),
            )
        }
        None => match profile.map_or("", |profile| profile.str_at("type")) {
            "Modern" => (Vec::new(), "VersionTLS13"),
            "Old" => (of_profile(CIPHERS.len()), "VersionTLS10"),
            _ => (of_profile(INTERMEDIATE), "VersionTLS12"),
        },
    };
    let least = match least {
        "" => "VersionTLS12",
        least => least,
    };
    mapping([
        ("ciphers", texts(ciphers)),
        ("minTLSVersion", Node::string(least)),
    ])
}

fn iana(name: &str) -> Option<&'static str> {
    let mut known = CIPHERS.iter();
    let found = known.find(|(openssl, _)| *openssl == name);
    let same = || TLS_1_3.into_iter().find(|newest| *newest == name);
    found.map(|(_, iana)| *iana).or_else(same)
}
