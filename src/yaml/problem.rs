//! Every reason to refuse a text, each with its kind, its message and, where it is certain, the fix.

use super::document::{Error, ErrorKind};
use crate::source::Span;

/// What to do where the lines do not line up.
const INDENT: &str = "correct the indentation of this line, or of the one before";

/// Declares [`YamlProblem`], one line each.
macro_rules! problems {
    ($($name:ident: $kind:ident, $message:literal $(, $help:expr)?;)+) => {
        /// Why a text is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum YamlProblem { $($name,)+ }

        impl YamlProblem {
            /// The error for a place in the document of that index.
            pub(super) fn at(self, span: Span, index: usize) -> Error {
                let (kind, message, help): (_, _, &[&'static str]) = match self {
                    $(Self::$name => (ErrorKind::$kind, $message, &[$($help)?]),)+
                };
                let help = help.first().copied();
                Error { kind, span, message, help, index }
            }
        }
    };
}

problems! {
    NotUtf8: NotUtf8, "the file is not UTF-8", "save the file as UTF-8";
    NotUtf16: NotUtf8, "the file is not UTF-16", "save the file as UTF-8";
    ControlCharacter: Syntax, "control characters are not allowed", "write the character as an escape in double quotes";
    ControlCharacterInUtf16: Syntax, "control characters are not allowed", "save the file as UTF-8";
    TextAfterSeparator: Syntax, "only a comment may follow `---` on its line", "start the document on the next line, as kubectl requires";
    ConflictMarker: Conflict, "merge conflict marker", "resolve the merge conflict and remove its markers";
    TooDeep: TooLarge, "the document is nested deeper than 500 levels";
    NoColonAfterKey: Syntax, "a key has no `:` after it", INDENT;
    NotAToken: Syntax, "no value begins with this character";
    IndentOfZero: Syntax, "a block scalar's indentation indicator is 1 to 9";
    TextAfterHeader: Syntax, "only a comment may follow on this line";
    TabInIndentation: Syntax, "a tab is used for indentation";
    ItemNotAllowed: Syntax, "a list item (`- `) is not allowed here", INDENT;
    KeyNotAllowed: Syntax, "a key (`? `) is not allowed here";
    ValueNotAllowed: Syntax, "a value after `: ` is not allowed here", "quote a value that contains `: `, or correct the indentation of this line";
    EmptyAnchorName: Syntax, "an anchor or alias has no name", "quote a value that begins with `*` or `&`";
    OpenTag: Syntax, "the tag is not closed by `>`";
    TextAfterTag: Syntax, "white space is missing here";
    NoTagMark: Syntax, "a tag handle ends with `!`";
    EmptyTag: Syntax, "the tag has no name";
    BadFirstOctet: Syntax, "the escape in the tag is not UTF-8";
    BadLaterOctet: Syntax, "the escape in the tag is not UTF-8";
    NotAnOctet: Syntax, "`%` in a tag is followed by two hexadecimal digits";
    EmptyDirective: Syntax, "the `%` line has no name";
    BadDirectiveName: Syntax, "the name of the `%` line has a character that is not allowed";
    NotAVersion: Syntax, "`%YAML` is followed by a version such as 1.1";
    NoSpaceInDirective: Syntax, "white space is missing in the `%` line";
    UnknownDirective: Syntax, "only `%YAML` and `%TAG` are known";
    LongVersion: Syntax, "the version number is too long";
    NoVersionNumber: Syntax, "the version number is missing";
    TabBreaksIndentation: Syntax, "a tab is used for indentation";
    DocumentMarkInQuotes: Syntax, "`---` or `...` begins a line inside quotes";
    OpenQuote: Syntax, "the quote is not closed", "close the quote that starts here";
    NotACharacter: Syntax, "the escape is not a Unicode character";
    UnknownEscape: Syntax, "YAML does not know this escape", "write `\\\\` for a backslash, or use single quotes";
    NotHexadecimal: Syntax, "the escape takes hexadecimal digits";
    NoDocumentStart: Syntax, "`---` is missing before the document", "remove the `%` line; kubectl reads the text before `---` as a document of its own";
    SecondYamlDirective: Syntax, "a second `%YAML` line";
    OtherYamlVersion: Syntax, "kubectl does not read this version of YAML", "remove the `%YAML` line; kubectl reads YAML 1.1";
    SecondTagDirective: Syntax, "a second `%TAG` line for this handle";
    UnknownAnchor: Syntax, "the alias names an anchor that is not defined before it", "define the anchor earlier in the same document, or quote a value that begins with `*`";
    UnknownTagHandle: Syntax, "no `%TAG` line defines this tag's handle";
    NoValue: Syntax, "a value is missing here";
    NoItem: Syntax, "a list item (`- `) was expected here", INDENT;
    NoKey: Syntax, "a key was expected here", INDENT;
    OpenList: Syntax, "`,` or `]` was expected here", "close the list with `]`, or separate its items by `,`";
    OpenMapping: Syntax, "`,` or `}` was expected here", "close the mapping with `}`, or separate its entries by `,`";
    NotFinite: Value, "Kubernetes cannot store infinity or NaN";
    TooManyAliases: TooLarge, "almost all of the document comes from aliases", "write the values out instead of aliases of aliases";
    AnchorInItself: Value, "the anchor's value contains itself";
    MergeOfOther: Value, "a merge (`<<`) takes a mapping or a list of mappings";
    NullKey: Value, "a key may not be null";
    LargeKey: Value, "this number is too large for a key";
    CollectionAsKey: Value, "a key may not be a mapping or a list", "quote a value that begins with `{{`";
    NotBase64: Value, "the `!!binary` value is not base64";
    TagDoesNotFit: Value, "the value does not fit its tag";
}
