//! What a comment escapes, and where it is cut.

use askama::filters::Escaper as _;

use super::{MOST, Prose, code, largest};

#[test]
fn code_spans_hold_any_name() {
    assert_eq!(code("a"), "`a`");
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code("`"), "`` ` ``");
}

#[test]
fn names_are_no_markup() {
    let mut out = String::new();
    Prose
        .write_escaped_str(&mut out, "<img> *x* `a` @team #1 $a$ http://a")
        .unwrap();
    assert_eq!(
        out,
        "&lt;img&gt; \\*x\\* \\`a\\` @\u{2060}team #\u{2060}1 \\$a\\$ http:\u{2060}//a"
    );
}

#[test]
fn the_largest_that_fits_is_taken() {
    let size = |count: usize| "x".repeat(count * 1000);
    assert_eq!(largest(10, 0, size).unwrap().len(), 10_000);
    assert_eq!(largest(1000, 0, size).unwrap().len(), MOST / 1000 * 1000);
    assert_eq!(largest(1000, 66, size), None);
}
