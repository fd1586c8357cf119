//! How ignore comments are read.

use super::*;
use crate::source::FileId;

#[test]
fn comments_are_read_with_their_reason() {
    assert_eq!(parse("# a note"), None);
    let comment = parse("# driftless: ignore[a, b] kept for the lab")
        .unwrap()
        .unwrap();
    assert_eq!(comment.rules, ["a", "b"]);
    assert_eq!(comment.reason, "kept for the lab");
    for text in [
        "# driftless: ignore[a]",
        "# driftless: ignore[] x",
        "# driftless: ignore a",
    ] {
        assert!(parse(text).unwrap().is_err(), "{text}");
    }
}

#[test]
fn a_comment_alone_speaks_of_the_next_line_with_content() {
    let sources = Sources::from([("a.yaml", "a: 1 # x\n# y\n\n# z\nb: 2\n")]);
    let at = |start, end| target_line(&sources, Span::new(FileId(0), start, end));
    assert_eq!(at(5, 8), 1);
    assert_eq!(at(9, 12), 5);
}
