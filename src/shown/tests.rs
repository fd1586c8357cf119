//! What is removed, escaped and cut before a text is shown.

use super::*;
use serde_json::json as value;

#[test]
fn hostile_characters_go() {
    for c in [
        '\0',
        '\u{7}',
        '\u{1b}',
        '\u{7f}',
        '\u{9b}',
        '\u{ad}',
        '\u{61c}',
        '\u{200b}',
        '\u{200f}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{feff}',
        '\u{ffff}',
        '\u{e0001}',
        '\u{e007f}',
        '\u{e01ef}',
    ] {
        assert_eq!(line(&format!("a{c}b")), "a\u{fffd}b", "{c:?}");
        assert_eq!(lines(&format!("a{c}\nb")), "a\u{fffd}\nb", "{c:?}");
    }
    for c in ['ä', '…', '→', '\u{2027}', '\u{202f}', '日', '🐧', '\u{a0}'] {
        assert_eq!(line(&format!("a{c}b")), format!("a{c}b"));
    }
    assert_eq!(line("a\r\nb\tc"), "a  b c");
    assert_eq!(lines("a\r\n\tb\n"), "a\n\tb\n");
}

#[test]
fn no_text_is_a_workflow_command() {
    assert_eq!(line("a ##[error]b"), "a ##\u{fffd}[error]b");
    assert_eq!(line("###[x]"), "###\u{fffd}[x]");
    assert_eq!(line("##VSO[task]"), "##VSO\u{fffd}[task]");
    assert_eq!(line("## [x] #[x] ##vs[x]"), "## [x] #[x] ##vs[x]");
    assert_eq!(
        lines("a\n \t::warning::b\nc::d"),
        "a\n \t\u{fffd}::warning::b\nc::d"
    );
    assert_eq!(page("::a\nb".into()), "\u{fffd}::a\nb");
    assert_eq!(line("::1"), "::1", "an address is one inside a sentence");
}

#[test]
fn long_names_are_cut_and_the_sentence_around_them_is_not() {
    let whole = "x".repeat(LONGEST_WORD);
    assert_eq!(line(&whole), whole);
    let name = format!("{}y", "x".repeat(LONGEST_WORD));
    let shown = line(&format!("`{name}` is not a name"));
    assert!(
        shown.starts_with("`xxx") && shown.ends_with("xy` is not a name"),
        "{shown}"
    );
    assert_eq!(
        shown.split(' ').next().unwrap().chars().count(),
        LONGEST_WORD
    );
    let shown = line(&"ab ".repeat(10_000));
    assert_eq!(shown.chars().count(), LONGEST_LINE);
    assert_eq!(super::whole(&name), name);
}

#[test]
fn json_is_cleaned_in_keys_and_texts() {
    let shown = json(value!({"a\u{202e}": ["##[x]\n", 1, null]}));
    assert_eq!(shown, value!({"a\u{fffd}": ["##\u{fffd}[x]\n", 1, null]}));
}

#[test]
fn a_shown_value_pads() {
    assert_eq!(format!("{:<4}|", Shown("a\n")), "a   |");
}
