//! The flat list between tokens and tree: children follow their parent, a collection says where it ends.

use std::borrow::Cow;

/// What a raw node is.
#[derive(Debug)]
pub(super) enum Raw<'a> {
    /// Text; `plain` text may turn out to be a number, a boolean or null.
    Scalar {
        text: Cow<'a, str>,
        plain: bool,
        tag: Option<String>,
    },
    /// A sequence; its children are the nodes up to this index.
    Sequence(usize),
    /// A mapping; its children are keys and values in turn, up to this index.
    Mapping(usize),
    /// The node at this index once more.
    Alias(usize),
}

/// A node and its bytes.
#[derive(Debug)]
pub(super) struct RawNode<'a> {
    pub(super) raw: Raw<'a>,
    /// How many children it has itself.
    pub(super) children: u32,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The first document of a text.
#[derive(Debug)]
pub(super) struct RawDocument<'a> {
    /// The nodes; the root is the first. None where the text holds no document.
    pub(super) nodes: Vec<RawNode<'a>>,
    /// Where the document ends: the start of the next token, or the end of `...`.
    pub(super) end: usize,
    /// The comments, from `#` to the end of their line.
    pub(super) comments: Vec<(usize, usize)>,
}
