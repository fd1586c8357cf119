//! One plan in its four formats, each read back as a reader would: which row has which action, what was not judged.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::line;
use crate::support::{Repository, Run};

/// What a report tells.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The total.
    pub(super) sentence: String,
    /// Each row.
    pub(super) rows: BTreeSet<String>,
    /// Files that were not judged.
    pub(super) unjudged: BTreeSet<String>,
}

impl Told {
    /// A row whose name is written `KIND TARGET/NAMESPACE/NAME`, the kind only where it is no virtual machine.
    fn row(&mut self, name: &str, label: &str, change: &str) {
        let (kind, machine) = name.rsplit_once(' ').unwrap_or(("VirtualMachine", name));
        let (action, condition) = match label {
            "condition" => ("restart", true),
            action => (action, false),
        };
        let row = line(kind, machine, action, change, condition);
        assert!(self.rows.insert(row.clone()), "told twice: {row}");
    }

    /// How another report differs.
    pub(super) fn differs(&self, other: &Self) -> Option<String> {
        let (mine, theirs) = (&self.rows, &other.rows);
        let missing: Vec<_> = mine.difference(theirs).collect();
        let extra: Vec<_> = theirs.difference(mine).collect();
        (self != other).then(|| {
            format!(
                "{:?} and {:?}; missing {missing:#?}, not in the JSON {extra:#?}; not judged {:?} and {:?}",
                self.sentence, other.sentence, self.unjudged, other.unjudged
            )
        })
    }
}

/// A plan in its formats.
pub(super) struct Formats {
    pub(super) json: Json,
    text: String,
    markdown: String,
    html: String,
}

impl Formats {
    /// One run, which writes all of them.
    pub(super) fn of(repository: &Repository, arguments: &[&str]) -> Self {
        let formats = [
            "plan",
            "-v",
            "--format",
            "json=.git/plan.json",
            "--format",
            "markdown=.git/plan.md",
            "--format",
            "html=.git/plan.html",
            "--format",
            "text",
        ];
        let Run { code, out, err } = repository.run(&[&formats[..], arguments].concat());
        assert_eq!(code, 0, "{err}");
        let written = |name: &str| {
            std::fs::read_to_string(repository.path().join(".git").join(name)).unwrap()
        };
        Self {
            json: serde_json::from_str(&written("plan.json")).unwrap(),
            text: out,
            markdown: written("plan.md"),
            html: written("plan.html"),
        }
    }

    /// What becomes of each volume that changes its claim.
    pub(super) fn verdicts(&self) -> Vec<&str> {
        let vms = self.json["virtualMachines"].as_array().unwrap().iter();
        let volumes = vms.flat_map(|vm| vm["volumes"].as_array().into_iter().flatten());
        volumes
            .map(|volume| volume["verdict"].as_str().unwrap())
            .collect()
    }

    /// The formats for people.
    pub(super) fn others(&self) -> [(&'static str, Told); 3] {
        [
            ("text", text(&self.text)),
            ("markdown", markdown(&self.markdown)),
            ("html", html(&self.html)),
        ]
    }

    pub(super) fn json(&self) -> Told {
        let mut told = Told {
            sentence: self.json["summary"]["sentence"]
                .as_str()
                .unwrap()
                .to_owned(),
            ..Told::default()
        };
        for vm in self.json["virtualMachines"].as_array().unwrap() {
            let text = |key: &str| vm[key].as_str().unwrap_or_default();
            let name = format!(
                "{} {}/{}/{}",
                text("kind"),
                text("target"),
                text("namespace"),
                text("name")
            );
            let label = if vm["conditionOnly"] == true {
                "condition"
            } else {
                text("action")
            };
            told.row(&name, label, text("change"));
        }
        for one in self.json["unjudged"].as_array().unwrap() {
            told.unjudged
                .insert(one["file"].as_str().unwrap().to_owned());
        }
        told
    }
}

/// Lines for a terminal: what is indented deeper than a list goes on with the line above.
fn text(out: &str) -> Told {
    let mut blocks: Vec<Vec<String>> = vec![Vec::new()];
    for line in out.lines() {
        let indent = line.len() - line.trim_start().len();
        let block = blocks.last_mut().unwrap();
        match block.last_mut() {
            _ if line.is_empty() => blocks.push(Vec::new()),
            Some(last) if indent > 2 => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            _ => block.push(line.to_owned()),
        }
    }
    let mut told = Told::default();
    for block in blocks {
        let first = block.first().map(String::as_str).unwrap_or_default();
        if let Some(sentence) = first.strip_prefix("Plan: ") {
            sentence.clone_into(&mut told.sentence);
            continue;
        }
        let lines = |start: &'static str| {
            block
                .iter()
                .filter_map(move |line| line.strip_prefix(start))
        };
        for line in lines("not judged: ") {
            let end = line.find([' ', ':']).unwrap();
            told.unjudged.insert(line[..end].to_owned());
        }
        if first.starts_with("not judged: ") || first.starts_with("note: ") || first.is_empty() {
            continue;
        }
        let (label, rest) = first.split_once(' ').unwrap();
        let (title, marks) = rest.rsplit_once(" (").unwrap();
        let change = marks.split([',', ')']).next().unwrap();
        if !title.ends_with(" virtual machines") && !title.ends_with(" objects") {
            told.row(title, label, change);
            continue;
        }
        for line in lines("  ") {
            let Some((place, names)) = line.split_once(": ") else {
                continue;
            };
            if !line.starts_with("- ") && !line.starts_with("in ") {
                for name in names.split(", ") {
                    told.row(&format!("{place}/{name}"), label, change);
                }
            }
        }
    }
    told
}

/// What stands between two texts, the first time.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once(end)?.0)
}

/// A comment, group by group.
fn markdown(comment: &str) -> Told {
    let mut told = Told {
        sentence: between(comment, "### ", "\n").unwrap().to_owned(),
        ..Told::default()
    };
    assert!(!comment.contains("would be too long"), "{comment}");
    for group in comment.split("<details").skip(1) {
        let group = group.split("</details>").next().unwrap();
        let (head, body) = group.split_once("</summary>").unwrap();
        let label = between(head, "<b>", "</b>").unwrap();
        let spans = |line: &str| -> Option<Vec<String>> {
            let line = line.strip_prefix('`')?.strip_suffix('`')?;
            Some(line.split("`, `").map(str::to_owned).collect())
        };
        if label == "not judged" {
            let files = body.lines().filter_map(|line| between(line, "- `", "`"));
            told.unjudged.extend(files.map(str::to_owned));
            continue;
        }
        let (title, marks) = head.rsplit_once(" (").unwrap();
        let change = marks.split([',', ')']).next().unwrap();
        if let Some(name) = title.strip_suffix("</code>") {
            told.row(name.rsplit_once("<code>").unwrap().1, label, change);
            continue;
        }
        for line in body.lines().filter_map(|line| line.strip_prefix("- ")) {
            let place = line.split_once(": ").and_then(|(place, names)| {
                let place = spans(place).filter(|spans| spans.len() == 1)?;
                Some((place, spans(names)?))
            });
            if let Some((place, names)) = place {
                for name in names {
                    told.row(&format!("{}/{name}", place[0]), label, change);
                }
            }
        }
    }
    told
}

/// A page, group by group.
fn html(page: &str) -> Told {
    let mut told = Told {
        sentence: between(page, "<h1>", "</h1>").unwrap().to_owned(),
        ..Told::default()
    };
    if let Some(unjudged) = between(page, "<details id=\"unjudged\">", "</details>") {
        let files = unjudged.split("<li>").skip(1);
        let files = files.filter_map(|item| between(item, "<code>", "</code>"));
        told.unjudged.extend(files.map(str::to_owned));
    }
    for group in page.split("<details class=\"group\"").skip(1) {
        let label = between(group, "data-action=\"", "\"").unwrap();
        let marks = between(group, "<span class=\"muted\">", "</span>").unwrap();
        let mut marks = marks.split(", ");
        let change = marks.find(|mark| !mark.starts_with(|c: char| c.is_ascii_digit()));
        for vm in group.split("<li class=\"vm").skip(1) {
            let name = between(vm, "data-name=\"", "\"").unwrap();
            told.row(name, label, change.unwrap());
        }
    }
    told
}
