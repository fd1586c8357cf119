//! A key that cloud-config does not have.

use crate::config::did_you_mean;
use crate::rules::cloud_init::user_data::{UserData, user_data};
use crate::rules::guests::guests;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports a key of `#cloud-config` user data that cloud-init does not know and that is close to one it knows.
    ///
    /// ## Why it matters
    ///
    /// cloud-init ignores keys it does not know. `run_cmd` runs nothing, and nothing says so.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             userData: |
    ///               #cloud-config
    ///               run_cmd: [reboot]
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud.userData: cloud-init has no key run_cmd
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             userData: |
    ///               #cloud-config
    ///               runcmd: [reboot]
    /// ```
    ///
    /// ## Limits
    ///
    /// Only keys at the start of a line are looked at. A key that is like none of cloud-init's may belong to the image, and is left alone.
    "misspelt-cloud-config-key": "cloud-init does not know a key of the user data",
    level: Warning,
    check: Catalog(check),
}

/// The keys of a cloud-config: those of cloud-init's own modules, with the old spellings that it still reads.
const KEYS: [&str; 112] = [
    "allow_public_ssh_keys",
    "allow_userdata",
    "ansible",
    "apk_repos",
    "apt",
    "apt_pipelining",
    "apt_reboot_if_required",
    "apt_update",
    "apt_upgrade",
    "authkey_hash",
    "autoinstall",
    "bootcmd",
    "byobu_by_default",
    "ca-certs",
    "ca_certs",
    "chef",
    "chpasswd",
    "cloud_config_modules",
    "cloud_final_modules",
    "cloud_init_modules",
    "create_hostname_file",
    "datasource",
    "datasource_list",
    "debug",
    "def_log_file",
    "device_aliases",
    "disable_ec2_metadata",
    "disable_root",
    "disable_root_opts",
    "disk_setup",
    "drivers",
    "fan",
    "final_message",
    "fqdn",
    "fs_setup",
    "groups",
    "growpart",
    "grub-dpkg",
    "grub_dpkg",
    "hostname",
    "keyboard",
    "landscape",
    "launch-index",
    "locale",
    "locale_configfile",
    "log_cfgs",
    "lxd",
    "manage_etc_hosts",
    "manage_resolv_conf",
    "manual_cache_clean",
    "mcollective",
    "merge_how",
    "merge_type",
    "migrate",
    "mount_default_fields",
    "mounts",
    "network",
    "no_ssh_fingerprints",
    "ntp",
    "output",
    "package_reboot_if_required",
    "package_update",
    "package_upgrade",
    "packages",
    "password",
    "phone_home",
    "power_state",
    "prefer_fqdn_over_hostname",
    "preserve_hostname",
    "puppet",
    "random_seed",
    "reporting",
    "resize_rootfs",
    "resolv_conf",
    "rh_subscription",
    "rpi",
    "rsyslog",
    "runcmd",
    "salt_minion",
    "snap",
    "snappy",
    "spacewalk",
    "ssh",
    "ssh_authorized_keys",
    "ssh_deletekeys",
    "ssh_fp_console_blacklist",
    "ssh_genkeytypes",
    "ssh_import_id",
    "ssh_key_console_blacklist",
    "ssh_keys",
    "ssh_publish_hostkeys",
    "ssh_pwauth",
    "ssh_quiet_keygen",
    "swap",
    "syslog_fix_perms",
    "system_info",
    "timezone",
    "ubuntu_advantage",
    "ubuntu_pro",
    "unverified_modules",
    "updates",
    "user",
    "users",
    "vendor_data",
    "vendor_data2",
    "version",
    "warnings",
    "wireguard",
    "write_files",
    "yum_repo_dir",
    "yum_repos",
    "zypper",
];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        for data in user_data(&guest, context)
            .into_iter()
            .filter(UserData::is_cloud_config)
        {
            let (keys, meant): (Vec<_>, Vec<_>) = misspelt(&data.text)
                .map(|(key, meant)| (key, format!("`{meant}`")))
                .unzip();
            let message = match keys.as_slice() {
                [] => continue,
                [key] => format!("cloud-init has no key {key}"),
                keys => format!("cloud-init has no keys {}", keys.join(", ")),
            };
            let finding = findings.report(guest.resource, data.field.clone(), message);
            finding.help(format!("did you mean {}?", meant.join(", ")));
            data.explain(finding);
        }
    }
}

/// The keys at the start of a line that are none of cloud-init's but close to one.
fn misspelt(text: &str) -> impl Iterator<Item = (&str, &'static str)> {
    let keys = text.lines().filter_map(|line| {
        let (key, rest) = line.split_once(':')?;
        let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
        let is_key = !key.is_empty()
            && key.bytes().all(is_word)
            && (rest.is_empty() || rest.starts_with([' ', '\r']));
        (is_key && KEYS.binary_search(&key).is_err()).then_some(key)
    });
    keys.filter_map(|key| Some((key, did_you_mean(key, KEYS.iter().copied())?)))
}

#[cfg(test)]
mod tests {
    use super::{KEYS, misspelt};

    #[test]
    fn the_keys_are_sorted() {
        assert!(KEYS.is_sorted());
    }

    #[test]
    fn only_a_key_like_one_of_cloud_inits_is_misspelt() {
        for (line, meant) in [
            ("runcmd: []", None),
            ("run_cmd: []", Some("runcmd")),
            ("write-files:", Some("write_files")),
            ("pakages: [vim]", Some("packages")),
            ("  run_cmd: []", None),
            ("coreos: {}", None),
            ("https://example.com", None),
            ("- run_cmd: a", None),
        ] {
            let found = misspelt(line).next().map(|(_, meant)| meant);
            assert_eq!(found, meant, "{line}");
        }
    }
}
