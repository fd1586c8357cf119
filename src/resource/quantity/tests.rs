//! What the recorded cases do not reach: order, fixed points, amounts beyond 64 bits.

use proptest::prelude::*;

use super::*;

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).unwrap()
}

const SUFFIXES: [&str; 21] = [
    "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e0",
    "e3", "E-5", "e14", "E-19",
];

fn any_quantity() -> impl Strategy<Value = String> {
    (
        0..3_usize,
        0..10_u128.pow(22),
        1..23_u32,
        0..12_u32,
        0..SUFFIXES.len(),
    )
        .prop_map(|(sign, number, length, places, suffix)| {
            let mut digits = (number % 10_u128.pow(length)).to_string();
            if places > 0 {
                let places = usize::try_from(places).unwrap().min(digits.len());
                digits.insert(digits.len() - places, '.');
            }
            format!("{}{digits}{}", ["", "-", "+"][sign], SUFFIXES[suffix])
        })
}

#[test]
fn text_kubernetes_finds_canonical_stays() {
    for text in [
        "+1Gi", "01Gi", "1.", "+5", "0010", "1E3", "1e03", "1.500", "12.345k", "0",
    ] {
        assert_eq!(reread(text).as_deref(), Some(text));
    }
}

#[test]
fn other_text_becomes_canonical() {
    for (text, canonical) in [
        ("1024Mi", "1Gi"),
        ("2048Mi", "2Gi"),
        ("1.5Gi", "1536Mi"),
        ("1.00Gi", "1Gi"),
        ("0.5", "500m"),
        ("1000", "1k"),
        ("1000M", "1G"),
        ("15e2", "1500"),
        ("0.1Gi", "107374182400m"),
        ("0Gi", "0"),
        ("0.5Ki", "512"),
        ("8Ei", "9223372036854775807"),
        ("0.1n", "1n"),
        ("100000000000000000000", "100E"),
        (" 1Gi ", "1Gi"),
        ("+", "0"),
        ("1000E", "1"),
    ] {
        assert_eq!(reread(text).as_deref(), Some(canonical), "{text}");
    }
}

#[test]
fn spaces_around_do_not_count_and_line_breaks_do() {
    assert_eq!(reread("\u{a0}1Gi ").as_deref(), Some("1Gi"));
    for text in ["1Gi\n", "\t1Gi", "1 Gi", "", " "] {
        assert_eq!(reread(text), None, "{text:?}");
    }
}

#[test]
fn values_round_up_and_wrap() {
    assert_eq!(quantity("0.5").value(), 1);
    assert_eq!(quantity("1.5Gi").value(), 1_610_612_736);
    assert_eq!(quantity("100m").milli_value(), 100);
    assert_eq!(quantity("100E").value(), 0);
    assert_eq!(
        quantity("100000000000000000000").value(),
        7_766_279_631_452_241_920
    );
    assert_eq!(quantity("100Ei").milli_value(), -1000);
}

#[test]
fn exponents_out_of_all_bounds_are_read_without_hanging() {
    for text in [
        "1e2147483647",
        "1e-2147483647",
        "1e2147483648",
        "123456789012345678901e2147483000",
        "1e99999999999999999999",
        "e-20",
    ] {
        if let Ok(read) = Quantity::parse(text) {
            let _ = (read.value(), read.milli_value(), read.to_string());
            let _ = read.add(&quantity("1n")).to_string();
            let _ = read.cmp(&quantity("-5"));
        }
    }
    assert_eq!(Quantity::parse("e-20").unwrap_err(), ParseError::Number);
}

#[test]
fn zero_takes_the_format_of_what_is_added() {
    assert_eq!(quantity("0").add(&quantity("1024Mi")).to_string(), "1Gi");
    assert_eq!(quantity("1Gi").sub(&quantity("1Gi")).to_string(), "0");
    assert_eq!(quantity("-1Gi").neg().to_string(), "1Gi");
}

#[test]
fn texts_of_one_amount_are_the_same() {
    assert!(same_value("1Gi", "1024Mi"));
    assert!(!same_value("1Gi", "1G"));
    assert!(!same_value("x", "x"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn order_is_total_and_agrees_with_the_difference(a in any_quantity(), b in any_quantity()) {
        let (a, b) = (quantity(&a), quantity(&b));
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        let difference = a.sub(&b);
        prop_assert_eq!(difference.sign(), a.cmp(&b) as i32);
        prop_assert!(a.add(&b) == b.add(&a));
        prop_assert!(difference.add(&b) == a);
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonical_text_is_a_fixed_point(text in any_quantity()) {
        let once = reread(&text).unwrap();
        prop_assert_eq!(reread(&once), Some(once.clone()));
    }

    #[test]
    fn order_is_transitive(a in any_quantity(), b in any_quantity(), c in any_quantity()) {
        let mut sorted = [quantity(&a), quantity(&b), quantity(&c)];
        sorted.sort();
        prop_assert!(sorted[0] <= sorted[2]);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,20}") {
        if let Ok(read) = Quantity::parse(&text) {
            let _ = (read.value(), read.milli_value(), read.to_string());
        }
    }
}
