//! One document's tokens to a flat list of nodes: children follow their parent, a collection says where it ends.

use std::borrow::Cow;
use std::collections::HashMap;

use super::problem::YamlProblem;
use super::raw::{Raw, RawDocument, RawNode};
use super::scan::{Fault, Scanner, Style, TokenKind};

/// What the grammar expects next inside an open collection.
#[derive(Clone, Copy)]
enum State {
    BlockSequence,
    IndentlessSequence,
    BlockKey,
    BlockValue,
    FlowSequence { first: bool },
    FlowKey { first: bool },
    FlowValue,
    FlowEmptyValue,
    PairKey,
    PairValue,
    PairEnd,
}

struct Open {
    state: State,
    node: usize,
    end: usize,
}

struct Grammar<'a> {
    scanner: Scanner<'a>,
    nodes: Vec<RawNode<'a>>,
    open: Vec<Open>,
    anchors: HashMap<&'a str, usize>,
    tags: Vec<(&'a str, Cow<'static, str>)>,
}

/// Parses the first document of `text`; what follows it is not looked at. Also says whether the end of the text was.
pub(super) fn parse(text: &str, json: bool) -> (Result<RawDocument<'_>, Fault>, bool) {
    let mut grammar = Grammar {
        scanner: Scanner::new(text, json),
        nodes: Vec::with_capacity(text.len() / 12),
        open: Vec::new(),
        anchors: HashMap::new(),
        tags: Vec::new(),
    };
    let end = grammar.document();
    let touched = grammar.scanner.touched_end();
    let document = end.map(|end| RawDocument {
        nodes: grammar.nodes,
        end,
        comments: grammar.scanner.into_comments(),
    });
    (document, touched)
}

impl<'a> Grammar<'a> {
    fn document(&mut self) -> Result<usize, Fault> {
        match self.scanner.peek()?.kind {
            TokenKind::StreamEnd => return Ok(self.scanner.peek()?.start),
            TokenKind::Version { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart => {
                self.directives()?;
                let token = self.scanner.peek()?;
                if !matches!(token.kind, TokenKind::DocumentStart) {
                    return fault(token.start, YamlProblem::NoDocumentStart);
                }
                self.scanner.skip();
                let token = self.scanner.peek()?;
                match token.kind {
                    TokenKind::Version { .. }
                    | TokenKind::TagDirective { .. }
                    | TokenKind::DocumentStart
                    | TokenKind::DocumentEnd
                    | TokenKind::StreamEnd => {
                        let at = token.start;
                        self.empty(at);
                    }
                    _ => self.node(true, false)?,
                }
            }
            _ => {
                self.directives()?;
                self.node(true, false)?;
            }
        }
        while let Some(open) = self.open.last() {
            match open.state {
                State::BlockSequence => self.block_sequence()?,
                State::IndentlessSequence => self.indentless_sequence()?,
                State::BlockKey => self.block_key()?,
                State::BlockValue => self.block_value()?,
                State::FlowSequence { first } => self.flow_sequence(first)?,
                State::FlowKey { first } => self.flow_key(first)?,
                State::FlowValue => self.flow_value()?,
                State::FlowEmptyValue => {
                    let at = self.scanner.peek()?.start;
                    self.become_state(State::FlowKey { first: false });
                    self.empty(at);
                }
                State::PairKey => self.pair_key()?,
                State::PairValue => self.pair_value()?,
                State::PairEnd => {
                    let at = self.last_end();
                    self.close(at);
                }
            }
        }
        let token = self.scanner.peek()?;
        Ok(if matches!(token.kind, TokenKind::DocumentEnd) {
            token.end
        } else {
            token.start
        })
    }

    fn directives(&mut self) -> Result<(), Fault> {
        let mut version = false;
        loop {
            let token = self.scanner.peek()?;
            let at = token.start;
            match &mut token.kind {
                TokenKind::Version { major, minor } => {
                    if version {
                        return fault(at, YamlProblem::SecondYamlDirective);
                    }
                    if (*major, *minor) != (1, 1) {
                        return fault(at, YamlProblem::OtherYamlVersion);
                    }
                    version = true;
                }
                TokenKind::TagDirective { handle, prefix } => {
                    let (handle, prefix) = (*handle, std::mem::take(prefix));
                    if self.tags.iter().any(|(known, _)| *known == handle) {
                        return fault(at, YamlProblem::SecondTagDirective);
                    }
                    self.tags.push((handle, prefix.into()));
                }
                _ => break,
            }
            self.scanner.skip();
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.tags.iter().any(|(known, _)| *known == handle) {
                self.tags.push((handle, prefix.into()));
            }
        }
        Ok(())
    }

    fn node(&mut self, block: bool, indentless: bool) -> Result<(), Fault> {
        let token = self.scanner.peek()?;
        let (start, mut end) = (token.start, token.start);
        if let TokenKind::Alias(name) = token.kind {
            let end = token.end;
            self.scanner.skip();
            let Some(target) = self.anchors.get(name) else {
                return fault(start, YamlProblem::UnknownAnchor);
            };
            self.add(Raw::Alias(*target), start, end);
            return Ok(());
        }
        let (mut anchor, mut tag) = (None, None);
        let mut tag_at = start;
        for _ in 0..2 {
            let token = self.scanner.peek()?;
            match &mut token.kind {
                TokenKind::Anchor(name) if anchor.is_none() => anchor = Some(*name),
                TokenKind::Tag { handle, suffix } if tag.is_none() => {
                    tag = Some((*handle, std::mem::take(suffix)));
                    tag_at = token.start;
                }
                _ => break,
            }
            end = token.end;
            self.scanner.skip();
        }
        let tag = match tag {
            None => None,
            Some(("", suffix)) => Some(suffix),
            Some((handle, suffix)) => match self.tags.iter().find(|(known, _)| *known == handle) {
                Some((_, prefix)) => Some(format!("{prefix}{suffix}")),
                None => return fault(tag_at, YamlProblem::UnknownTagHandle),
            },
        };
        let node = self.nodes.len();
        if let Some(name) = anchor {
            self.anchors.insert(name, node);
        }
        let token = self.scanner.peek()?;
        let opened = match &mut token.kind {
            TokenKind::BlockEntry if indentless => Some((State::IndentlessSequence, false)),
            TokenKind::Scalar { text, style } => {
                let text = std::mem::take(text);
                let plain = match &tag {
                    None => *style == Style::Plain,
                    Some(tag) => tag == "!",
                };
                let end = token.end;
                self.scanner.skip();
                self.add(Raw::Scalar { text, plain, tag }, start, end);
                return Ok(());
            }
            TokenKind::FlowSequenceStart => Some((State::FlowSequence { first: true }, true)),
            TokenKind::FlowMappingStart => Some((State::FlowKey { first: true }, true)),
            TokenKind::BlockSequenceStart if block => Some((State::BlockSequence, true)),
            TokenKind::BlockMappingStart if block => Some((State::BlockKey, true)),
            _ => None,
        };
        let (token_start, token_end) = (token.start, token.end);
        let Some((state, consumed)) = opened else {
            if anchor.is_none() && tag.is_none() {
                return fault(token_start, YamlProblem::NoValue);
            }
            let plain = tag.is_none();
            let text = Cow::Borrowed("");
            self.add(Raw::Scalar { text, plain, tag }, start, end);
            return Ok(());
        };
        if consumed {
            self.scanner.skip();
        }
        let raw = match state {
            State::BlockKey | State::FlowKey { .. } => Raw::Mapping(node),
            _ => Raw::Sequence(node),
        };
        self.add(raw, start, token_end);
        let end = token_end;
        self.open.push(Open { state, node, end });
        Ok(())
    }

    fn block_sequence(&mut self) -> Result<(), Fault> {
        let token = self.scanner.peek()?;
        let end = token.end;
        match token.kind {
            TokenKind::BlockEntry => {
                self.scanner.skip();
                match self.scanner.peek()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => self.empty(end),
                    _ => self.node(true, false)?,
                }
            }
            TokenKind::BlockEnd => {
                self.scanner.skip();
                self.close_after_child();
            }
            _ => return fault(token.start, YamlProblem::NoItem),
        }
        Ok(())
    }

    fn indentless_sequence(&mut self) -> Result<(), Fault> {
        let token = self.scanner.peek()?;
        let end = token.end;
        if matches!(token.kind, TokenKind::BlockEntry) {
            self.scanner.skip();
            match self.scanner.peek()?.kind {
                TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                    self.empty(end);
                }
                _ => self.node(true, false)?,
            }
        } else {
            self.close_after_child();
        }
        Ok(())
    }

    fn block_key(&mut self) -> Result<(), Fault> {
        let token = self.scanner.peek()?;
        let end = token.end;
        match token.kind {
            TokenKind::Key => {
                self.scanner.skip();
                self.become_state(State::BlockValue);
                match self.scanner.peek()?.kind {
                    TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => self.empty(end),
                    _ => self.node(true, true)?,
                }
            }
            TokenKind::BlockEnd => {
                self.scanner.skip();
                self.close_after_child();
            }
            _ => return fault(token.start, YamlProblem::NoKey),
        }
        Ok(())
    }

    fn block_value(&mut self) -> Result<(), Fault> {
        let token = self.scanner.peek()?;
        let (start, end) = (token.start, token.end);
        self.become_state(State::BlockKey);
        let token = self.scanner.peek()?;
        if matches!(token.kind, TokenKind::Value) {
            self.scanner.skip();
            match self.scanner.peek()?.kind {
                TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => self.empty(end),
                _ => self.node(true, true)?,
            }
        } else {
            self.empty(start);
        }
        Ok(())
    }

    fn flow_sequence(&mut self, first: bool) -> Result<(), Fault> {
        self.become_state(State::FlowSequence { first: false });
        if !matches!(self.scanner.peek()?.kind, TokenKind::FlowSequenceEnd) {
            if !first {
                self.flow_entry(YamlProblem::OpenList)?;
            }
            let token = self.scanner.peek()?;
            let (start, end) = (token.start, token.end);
            match token.kind {
                TokenKind::Key => {
                    self.scanner.skip();
                    let node = self.nodes.len();
                    self.add(Raw::Mapping(node), start, end);
                    let state = State::PairKey;
                    self.open.push(Open { state, node, end });
                    return Ok(());
                }
                TokenKind::FlowSequenceEnd => {}
                _ => return self.node(false, false),
            }
        }
        let end = self.scanner.peek()?.end;
        self.scanner.skip();
        self.close(end);
        Ok(())
    }

    fn flow_entry(&mut self, problem: YamlProblem) -> Result<(), Fault> {
        let token = self.scanner.peek()?;
        if !matches!(token.kind, TokenKind::FlowEntry) {
            return fault(token.start, problem);
        }
        self.scanner.skip();
        Ok(())
    }

    fn flow_key(&mut self, first: bool) -> Result<(), Fault> {
        if !matches!(self.scanner.peek()?.kind, TokenKind::FlowMappingEnd) {
            if !first {
                self.flow_entry(YamlProblem::OpenMapping)?;
            }
            match self.scanner.peek()?.kind {
                TokenKind::Key => {
                    self.scanner.skip();
                    self.become_state(State::FlowValue);
                    let token = self.scanner.peek()?;
                    return match token.kind {
                        TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                            let at = token.start;
                            self.empty(at);
                            Ok(())
                        }
                        _ => self.node(false, false),
                    };
                }
                TokenKind::FlowMappingEnd => {}
                _ => {
                    self.become_state(State::FlowEmptyValue);
                    return self.node(false, false);
                }
            }
        }
        let end = self.scanner.peek()?.end;
        self.scanner.skip();
        self.close(end);
        Ok(())
    }

    fn flow_value(&mut self) -> Result<(), Fault> {
        self.become_state(State::FlowKey { first: false });
        let mut at = self.last_end();
        let token = self.scanner.peek()?;
        if matches!(token.kind, TokenKind::Value) {
            at = token.end;
            self.scanner.skip();
            if !matches!(
                self.scanner.peek()?.kind,
                TokenKind::FlowEntry | TokenKind::FlowMappingEnd
            ) {
                return self.node(false, false);
            }
        }
        self.empty(at);
        Ok(())
    }

    fn pair_key(&mut self) -> Result<(), Fault> {
        self.become_state(State::PairValue);
        let token = self.scanner.peek()?;
        match token.kind {
            // The indicator is taken away here, as libyaml does: what follows is then refused or read as the value.
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                let end = token.end;
                self.scanner.skip();
                self.empty(end);
                Ok(())
            }
            _ => self.node(false, false),
        }
    }

    fn pair_value(&mut self) -> Result<(), Fault> {
        self.become_state(State::PairEnd);
        if matches!(self.scanner.peek()?.kind, TokenKind::Value) {
            self.scanner.skip();
            if !matches!(
                self.scanner.peek()?.kind,
                TokenKind::FlowEntry | TokenKind::FlowSequenceEnd
            ) {
                return self.node(false, false);
            }
        }
        let at = self.last_end();
        self.empty(at);
        Ok(())
    }

    // Building the list.

    fn become_state(&mut self, state: State) {
        if let Some(open) = self.open.last_mut() {
            open.state = state;
        }
    }

    fn add(&mut self, raw: Raw<'a>, start: usize, end: usize) {
        self.nodes.push(RawNode {
            raw,
            children: 0,
            start,
            end,
        });
        if let Some(open) = self.open.last_mut() {
            open.end = end;
            self.nodes[open.node].children += 1;
        }
    }

    fn empty(&mut self, at: usize) {
        let raw = Raw::Scalar {
            text: Cow::Borrowed(""),
            plain: true,
            tag: None,
        };
        self.add(raw, at, at);
    }

    /// Where the last child of the open collection ends.
    fn last_end(&self) -> usize {
        self.open.last().map_or(0, |open| open.end)
    }

    fn close_after_child(&mut self) {
        let end = self.last_end();
        self.close(end);
    }

    fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        let last = self.nodes.len();
        let node = &mut self.nodes[open.node];
        node.end = end;
        if let Raw::Sequence(to) | Raw::Mapping(to) = &mut node.raw {
            *to = last;
        }
        if let Some(parent) = self.open.last_mut() {
            parent.end = end;
        }
    }
}

const fn fault<T>(at: usize, problem: YamlProblem) -> Result<T, Fault> {
    Err(Fault { at, problem })
}
