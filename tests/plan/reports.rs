//! The plan in every format, over one shared plan that holds what is hard to show: hostile names, secrets, equal names in
//! two targets, acceptances, conditions, refused starts, files not judged. It is long because all formats share that plan.

use std::collections::BTreeSet;

use driftless::cause::Cause;
use driftless::field_path::FieldPath;
use driftless::plan::{
    Accepted, Action, CauseLocation, Change, Effect, FieldChange, Loss, Lost, Plan, Power, Reason,
    Rejection, Releases, Unjudged, VmPlan, VolumeChange, VolumeVerdict,
};
use driftless::release::Release;
use driftless::report::plan_markdown::CommentOptions;
use driftless::report::{TextLayout, plan_html, plan_json, plan_markdown, plan_text};
use driftless::yaml::Node;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;

use crate::golden::{compare, repository};
use crate::support::{change, files};

/// Markup of every format, a mention, an escape sequence, a line of its own that is a workflow command, and marks that
/// turn the direction of text.
const HOSTILE: &str =
    "<img src=x>`|@team #1\u{1b}[31m\n::error::x\u{202e}</details>[a](http://evil.test)";
const SECRET: &str = "hunter2";

fn row(name: &str, action: Action) -> VmPlan {
    VmPlan {
        action,
        causes: vec![cause(&format!("vms/{name}.yaml"), 3)],
        ..VmPlan::new("VirtualMachine", "vms", name, Change::Modified)
    }
}

fn cause(file: &str, line: u32) -> CauseLocation {
    CauseLocation {
        file: file.to_owned(),
        line: Some(line),
    }
}

fn plan_of(virtual_machines: Vec<VmPlan>) -> Plan {
    let mut plan = Plan {
        kubevirt: Releases {
            base: vec![Release::V1_6.into()],
            head: vec![Release::V1_7.into()],
            ..Releases::default()
        },
        base: "main".to_owned(),
        head: "work".to_owned(),
        targets: Vec::new(),
        notes: Vec::new(),
        groups: Vec::new(),
        virtual_machines,
        unjudged: Vec::new(),
    };
    plan.regroup();
    plan
}

/// A changed value of the guest, as a reason and as a field.
fn changes(vm: &mut VmPlan, path: &str, from: &str, to: &str, effect: Effect) {
    let (from, to) = (Some(from.to_owned()), Some(to.to_owned()));
    vm.reasons.push(Reason {
        from: from.clone(),
        to: to.clone(),
        ..Reason::new(format!("has the effect `{effect}`")).at(path)
    });
    let path = FieldPath::parse(path);
    vm.fields.push(FieldChange {
        path,
        from,
        to,
        effect,
    });
}

fn shared() -> Plan {
    const MEMORY: &str = "spec.template.spec.domain.memory.guest";
    let mut rows = Vec::new();
    // One type does the same to five VMs; two of them share their name.
    for (target, namespace, name) in [
        ("east", "shop", "web"),
        ("east", "shop", "web-2"),
        ("west", "shop", "web"),
        ("west", "pay", "web"),
        ("west", "pay", "web-3"),
    ] {
        let mut vm = row(name, Action::Restart);
        vm.target = Some(target.to_owned());
        namespace.clone_into(&mut vm.namespace);
        vm.change = Change::Unchanged;
        vm.condition_only = true;
        vm.reasons = vec![Reason::new("the revision shields it").saying("a field was changed")];
        vm.causes = vec![cause("types.yaml", 12)];
        vm.shared = vec!["types.yaml: instance type `web-medium` changed".to_owned()];
        rows.push(vm);
    }
    let mut lost = row("db", Action::DataLoss);
    lost.also = vec![Action::Restart];
    lost.power = Power::Stop;
    lost.loses = vec![Loss {
        what: Lost::Disk,
        name: "db-root".to_owned(),
    }];
    lost.volumes = vec![VolumeChange {
        name: "root".to_owned(),
        from: "old".to_owned(),
        to: "new".to_owned(),
        verdict: VolumeVerdict::NotMigrated,
    }];
    lost.assumptions = vec!["the guest runs".to_owned()];
    rows.push(lost);
    let mut accepted = row("cache", Action::Delete);
    accepted.change = Change::Removed;
    accepted.accepted = Some(Accepted {
        action: Action::Delete,
        by: format!("1234abc: {HOSTILE}"),
    });
    rows.push(accepted);
    for (at, to) in ["4Gi", "6Gi", "8Gi"].into_iter().enumerate() {
        let mut vm = row(&format!("app-{at}"), Action::Live);
        changes(&mut vm, MEMORY, "2Gi", to, Effect::Live);
        rows.push(vm);
    }
    let mut hostile = row(HOSTILE, Action::Rejected);
    hostile.rejected = Some(Rejection::Admission);
    HOSTILE.clone_into(&mut hostile.namespace);
    hostile.reasons = vec![Reason {
        from: Some(HOSTILE.to_owned()),
        to: Some(HOSTILE.to_owned()),
        kubevirt: Some(Cause::new(HOSTILE, HOSTILE)),
        ..Reason::new(HOSTILE)
    }];
    hostile.assumptions = vec![HOSTILE.to_owned()];
    rows.push(hostile);
    let mut refused = row("never", Action::None);
    refused.start_refused = true;
    rows.push(refused);
    let mut told = row("told", Action::None);
    told.reasons = vec![Reason::new("the edit is ignored").at("spec.dataVolumeTemplates")];
    rows.push(told);
    rows.push(row("silent", Action::None));
    let mut pool = row("runners", Action::Restart);
    "VirtualMachinePool".clone_into(&mut pool.kind);
    let guest = |host: &str, password: &str| {
        Node::from_json(
            &json!({"spec": {"hostname": host, "password": password, "userData": SECRET}}),
        )
    };
    pool.before = Some(guest("a", SECRET));
    pool.after = Some(guest(HOSTILE, "hunter2-other"));
    changes(&mut pool, "spec.hostname", "a", "b", Effect::Restart);
    rows.push(pool);
    let mut plan = plan_of(rows);
    plan.targets = vec!["east".to_owned(), "west".to_owned()];
    plan.notes = vec![
        format!("taken for granted: {HOSTILE}"),
        "`--kubevirt` says it".to_owned(),
    ];
    plan.unjudged = vec![
        Unjudged {
            file: "chart/values.yaml".to_owned(),
            kind: None,
            reason: "no build runs".to_owned(),
            accepted: None,
        },
        Unjudged {
            file: HOSTILE.to_owned(),
            kind: Some("Template".to_owned()),
            reason: HOSTILE.to_owned(),
            accepted: Some(Accepted {
                action: Action::Unknown,
                by: "--accept: known".to_owned(),
            }),
        },
    ];
    plan
}

const LINKS: &str = "https://git.test/blob/{path}#L{line}";
const COMMENT: CommentOptions<'_> = CommentOptions {
    key: Some("fleet/prod"),
    artifact: Some("plan.html"),
    links: Some(LINKS),
};

/// Each format by its name.
fn formats(plan: &Plan) -> [(&'static str, String); 4] {
    let text = TextLayout {
        fold: false,
        ..TextLayout::default()
    };
    [
        ("txt", plan_text::report(plan, text)),
        ("json", plan_json::report(plan)),
        ("md", plan_markdown::report(plan, &COMMENT)),
        ("html", plan_html::report(plan, Some(LINKS))),
    ]
}

#[test]
fn every_format_is_as_recorded() {
    for (format, mut text) in formats(&shared()) {
        // The style and the script are files of their own.
        for part in ["style", "script"] {
            let (open, close) = (format!("<{part}>"), format!("</{part}>"));
            if let (Some(from), Some(to)) = (text.find(&open), text.find(&close)) {
                text.replace_range(from + open.len()..to, "");
            }
        }
        compare(
            &repository(&format!("fixtures/report/plan.{format}")),
            &text,
        );
    }
}

#[test]
fn no_format_shows_a_secret_or_lets_a_name_act() {
    for (format, text) in formats(&shared()) {
        assert!(!text.contains(SECRET), "{format}");
        assert!(!text.contains('\u{1b}'), "{format}");
        assert!(
            !text.lines().any(|line| line.trim_start().starts_with("::")),
            "{format}"
        );
        assert!(!text.contains('\u{202e}'), "{format}");
    }
}

#[test]
fn pl19_every_format_lists_the_same_rows_and_what_was_not_judged() {
    let plan = shared();
    for (format, text) in formats(&plan) {
        for vm in plan.virtual_machines.iter().filter(|vm| vm.name != HOSTILE) {
            assert!(text.contains(&vm.name), "{} in {format}", vm.name);
        }
        for said in [
            "chart/values.yaml",
            "the edit is ignored",
            "1234abc",
            "1 loses data",
            "web-medium",
            "the revision shields it",
        ] {
            assert!(text.contains(said), "{said} in {format}\n{text}");
        }
    }
}

#[test]
fn pl19_equal_names_are_told_apart_by_target_and_namespace() {
    for (format, text) in formats(&shared()) {
        if format == "json" {
            continue;
        }
        for place in ["east/shop", "west/shop", "west/pay"] {
            assert!(text.contains(place), "{place} in {format}");
        }
    }
}

#[test]
fn json_is_what_its_schema_says() {
    let schema = serde_json::from_str(plan_json::SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for plan in [shared(), change("", "").plan()] {
        let value = serde_json::from_str(&plan_json::report(&plan)).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(value["version"], 1);
    }
}

#[test]
fn text_puts_the_total_first_then_the_worst_and_folds_what_repeats() {
    let mut rows: Vec<VmPlan> = (0..31)
        .map(|at| {
            let mut vm = row(&format!("web-{at:02}"), Action::Restart);
            vm.shared = vec!["types.yaml: instance type `web-medium` changed".to_owned()];
            vm.causes = vec![cause("types.yaml", 12)];
            changes(
                &mut vm,
                "spec.template.spec.hostname",
                "a",
                "b",
                Effect::Restart,
            );
            vm
        })
        .collect();
    rows.push(row("lost", Action::DataLoss));
    let plan = plan_of(rows);
    let text = plan_text::report(&plan, TextLayout::default());
    assert!(
        text.starts_with("Plan: 1 loses data, 31 need a restart\n"),
        "{text}"
    );
    let at = |needle: &str| {
        text.find(needle)
            .unwrap_or_else(|| panic!("{needle} in\n{text}"))
    };
    assert!(
        at("data-loss vms/lost") < at("restart types.yaml: instance type `web-medium` changed: 31")
    );
    assert!(text.contains("in types.yaml:12"), "{text}");
    assert_eq!(text.matches("hostname: a → b").count(), 1, "{text}");
    assert!(
        text.contains("web-07\n") && !text.contains("web-08"),
        "{text}"
    );
    assert!(text.contains("and 23 more (-v names all)"), "{text}");
    let all = plan_text::report(
        &plan,
        TextLayout {
            fold: false,
            ..TextLayout::default()
        },
    );
    assert!(all.contains("web-30") && !all.contains("more (-v"), "{all}");
}

#[test]
fn text_fits_the_width_of_the_terminal() {
    for width in [60, 80, 120] {
        let text = plan_text::report(
            &shared(),
            TextLayout {
                width,
                ..TextLayout::default()
            },
        );
        for line in text.lines() {
            // A word that is longer than the line stands alone in it.
            let words = line
                .trim_start_matches([' ', '-'])
                .split_whitespace()
                .count();
            assert!(
                line.chars().count() <= width || words <= 2,
                "{width}: {line}"
            );
        }
    }
}

#[test]
fn colors_carry_no_meaning_of_their_own() {
    let plain = plan_text::report(&shared(), TextLayout::default());
    let text = TextLayout {
        color: true,
        ..TextLayout::default()
    };
    let painted = plan_text::report(&shared(), text);
    assert!(
        painted.contains("\u{1b}[1;31mdata-loss \u{1b}[0m"),
        "{painted}"
    );
    let mut bare = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        bare.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(bare + rest, plain);
}

/// What a forge makes of a comment: its text, and the addresses it links to. Markup of ours is all it may hold.
fn read(markdown: &str) -> (String, BTreeSet<String>) {
    const OURS: [&str; 6] = [
        "<details",
        "</details>",
        "<summary>",
        "<b>",
        "<code>",
        "<!-- driftless:plan",
    ];
    let (mut text, mut links) = (String::new(), BTreeSet::new());
    for event in Parser::new_ext(
        markdown,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH,
    ) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let tags: Vec<&str> = html.match_indices('<').map(|(at, _)| &html[at..]).collect();
                for tag in tags {
                    let ours = ["</summary>", "</b>", "</code>"].iter().chain(&OURS);
                    assert!(ours.into_iter().any(|open| tag.starts_with(open)), "{html}");
                }
                text.push_str(&html);
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.insert(dest_url.to_string());
            }
            Event::Start(Tag::Image { .. }) => panic!("an image"),
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            _ => {}
        }
    }
    (text, links)
}

#[test]
fn markdown_holds_names_as_text() {
    let markdown = plan_markdown::report(&shared(), &COMMENT);
    let (text, links) = read(&markdown);
    assert!(
        text.contains("<img src=x>`|@team #1"),
        "a name in a code span is whole: {text}"
    );
    assert!(
        links
            .iter()
            .all(|link| link.starts_with("https://git.test/blob/")),
        "{links:?}"
    );
    assert!(
        links.contains("https://git.test/blob/types.yaml#L12"),
        "{links:?}"
    );
    assert!(links.contains("https://git.test/blob/vms/%3Cimg%20src%3Dx%3E%60%7C%40team%20%231%1B%5B31m%0A%3A%3Aerror%3A%3Ax%E2%80%AE%3C/details%3E%5Ba%5D%28http%3A//evil.test%29.yaml#L3"), "{links:?}");
    // Outside code spans nothing mentions and nothing refers.
    let mut outside = String::new();
    for (at, part) in markdown.split("<code>").enumerate() {
        outside.push_str(if at == 0 {
            part
        } else {
            part.split_once("</code>").unwrap().1
        });
    }
    let outside: Vec<Event<'_>> = Parser::new(&outside)
        .filter(|event| !matches!(event, Event::Code(_)))
        .collect();
    for event in outside {
        if let Event::Text(part) | Event::Html(part) | Event::InlineHtml(part) = event {
            assert!(!part.contains("@team") && !part.contains("#1"), "{part}");
        }
    }
}

#[test]
fn markdown_carries_a_marker_and_names_the_artifact() {
    let plan = shared();
    let marked = plan_markdown::report(&plan, &COMMENT);
    assert!(
        marked.starts_with("<!-- driftless:plan fleet/prod -->\n### 1 will not start again"),
        "{marked}"
    );
    assert!(marked.contains("The whole page is in the artifact `plan.html`"));
    let bare = plan_markdown::report(&plan, &CommentOptions::default());
    assert!(bare.starts_with("<!-- driftless:plan -->\n"), "{bare}");
    assert!(
        !bare.contains("artifact") && !bare.contains("](<"),
        "{bare}"
    );
    assert_eq!(
        marked.matches("<details").count(),
        plan.groups.len() + 1,
        "one a group, one of what was not judged"
    );
}

/// Groups of VMs, each of a type of its own.
fn fleet(groups: usize, each: usize) -> Plan {
    let vms = (0..groups).flat_map(|group| {
        (0..each).map(move |at| {
            let mut vm = row(&format!("vm-{group:02}-{at:03}"), Action::Restart);
            vm.target = Some(format!("cluster-{}", at % 4));
            vm.shared = vec![format!(
                "types/{group:02}.yaml: instance type `type-{group:02}` changed"
            )];
            vm.causes = vec![cause(&format!("types/{group:02}.yaml"), 1)];
            changes(
                &mut vm,
                "spec.template.spec.domain.cpu.sockets",
                "2",
                "4",
                Effect::Restart,
            );
            vm
        })
    });
    plan_of(vms.collect())
}

#[test]
fn five_thousand_machines_in_forty_groups_are_one_comment_that_names_every_group() {
    let plan = fleet(40, 125);
    assert_eq!((plan.virtual_machines.len(), plan.groups.len()), (5000, 40));
    let text = plan_markdown::report(&plan, &COMMENT);
    assert!(text.len() < plan_markdown::MOST, "{}", text.len());
    assert!(text.contains("### 5000 need a restart"));
    for group in 0..40 {
        assert!(
            text.contains(&format!(
                "<code>type-{group:02}</code> changed: 125 virtual machines"
            )),
            "{group}"
        );
    }
    let named = text.matches("`vm-").count();
    assert!(named > 1000, "{named}");
    assert!(text.contains(&format!("**The comment would be too long: {} of 5000 virtual machines are not named.** The artifact `plan.html` shows everything.", 5000 - named)), "{named}");
}

#[test]
fn a_comment_that_fits_names_all_and_one_that_does_not_is_cut_at_a_machine() {
    let said = "The comment would be too long";
    let text = plan_markdown::report(&fleet(10, 100), &CommentOptions::default());
    assert_eq!(text.matches("`vm-").count(), 1000);
    assert!(!text.contains(said), "{text}");
    // More groups than can be told in full, then more than can be named.
    for groups in [350, 3000] {
        let plan = fleet(groups, 1);
        let text = plan_markdown::report(&plan, &CommentOptions::default());
        assert!(text.len() < plan_markdown::MOST, "{}", text.len());
        assert!(
            text.contains("`driftless plan --format html` shows everything."),
            "{groups}"
        );
        let named = text.matches("vm-").count();
        assert!(
            named == groups || (groups == 3000 && named > 1000),
            "{groups}: {named}"
        );
        assert_eq!(
            text.matches("<details").count(),
            text.matches("</details>").count()
        );
    }
    let names = files(&[], &[]).plan();
    assert!(
        plan_markdown::report(&names, &CommentOptions::default())
            .contains("touches no virtual machine")
    );
}

#[test]
fn html_is_one_page_in_which_names_are_inert() {
    let page = plan_html::report(&shared(), None);
    assert!(!page.contains("<img"), "names are escaped");
    for handle in [
        "id=\"search\"",
        "id=\"shown\"",
        "id=\"expand\"",
        "data-filter=\"live\"",
        "data-action=\"condition\"",
        "data-name=\"west/pay/web-3\"",
        "class=\"diff\"",
    ] {
        assert!(page.contains(handle), "{handle}");
    }
    for outside in ["href=\"http", "src=\"", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let linked = plan_html::report(&shared(), Some(LINKS));
    assert!(linked.contains("href=\"https://git.test/blob/types.yaml#L12\""));
}

#[test]
fn the_page_compares_equal_machines_once_and_says_what_it_leaves_out() {
    let mut plan = fleet(1, 120);
    let guest = |host: &str| Node::from_json(&json!({"spec": {"hostname": host}}));
    for (at, vm) in plan.virtual_machines.iter_mut().enumerate() {
        vm.before = Some(guest("a"));
        vm.after = Some(guest(if at < 119 { "b" } else { "c" }));
    }
    let page = plan_html::report(&plan, None);
    assert_eq!(page.matches("class=\"compare\"").count(), 2, "{page}");
    assert!(page.contains("the same difference for cluster-0/vms/vm-00-004"));
    assert!(!page.contains("are left out"));
    for (at, vm) in plan.virtual_machines.iter_mut().enumerate() {
        let lines: Vec<String> = (0..3000).map(|line| format!("{at}-{line}")).collect();
        vm.after = Some(Node::from_json(&json!({ "spec": lines })));
    }
    let page = plan_html::report(&plan, None);
    assert!(page.contains("Some comparisons are left out"));
    assert!(
        page.matches("<tr").count() < 61_000,
        "{}",
        page.matches("<tr").count()
    );
}

#[test]
fn each_action_has_the_color_of_its_weight() {
    for action in Action::ALL {
        let text = plan_text::report(
            &plan_of(vec![row("web", action)]),
            TextLayout {
                color: true,
                ..TextLayout::default()
            },
        );
        let code = match action {
            Action::Rejected | Action::DataLoss | Action::Delete | Action::Stop => "1;31",
            Action::Restart => "1;33",
            Action::Unknown | Action::Pending => "1;35",
            Action::MigrateVolumes | Action::Live | Action::Create | Action::Start => "1;32",
            Action::NextStart => "36",
            Action::None => "2",
        };
        assert!(
            text.contains(&format!("\u{1b}[{code}m{action} \u{1b}[0mvms/web")),
            "{text:?}"
        );
    }
}

#[test]
fn a_folded_group_names_eight_machines_whatever_their_places() {
    // The machines are in four places.
    for (each, named, left) in [
        (2, 2, None),
        (8, 8, None),
        (9, 8, Some(1)),
        (12, 8, Some(4)),
    ] {
        let text = plan_text::report(&fleet(1, each), TextLayout::default());
        assert_eq!(text.matches("vm-00-").count(), named, "{text}");
        let more = left.map(|left| format!("and {left} more (-v names all)"));
        assert_eq!(text.contains("more (-v"), more.is_some(), "{text}");
        assert!(more.is_none_or(|more| text.contains(&more)), "{text}");
    }
}

#[test]
fn a_folded_group_tells_one_example_of_what_differs() {
    let text = |fold| {
        let layout = TextLayout {
            fold,
            ..TextLayout::default()
        };
        plan_text::report(&shared(), layout)
    };
    for (fold, told) in [(true, 1), (false, 3)] {
        assert_eq!(text(fold).matches("memory.guest: 2Gi →").count(), told);
    }
}

#[test]
fn a_comment_lists_fifty_files_not_judged_and_fifty_notes() {
    for (count, listed) in [(50, 50), (51, 50), (60, 50)] {
        let mut plan = plan_of(Vec::new());
        plan.notes = (0..count).map(|at| format!("note {at}.")).collect();
        let file = |at| Unjudged {
            file: format!("file-{at}."),
            kind: None,
            reason: "no build runs".to_owned(),
            accepted: None,
        };
        plan.unjudged = (0..count).map(file).collect();
        let text = plan_markdown::report(&plan, &CommentOptions::default());
        assert_eq!(text.matches("> - note ").count(), listed, "{text}");
        assert_eq!(text.matches("`file-").count(), listed, "{text}");
        let more = format!("- and {} more", count - listed);
        assert_eq!(text.contains(&more), count > listed, "{text}");
    }
}

#[test]
fn a_comment_that_is_cut_counts_what_it_leaves_out() {
    for (groups, each) in [(350, 1), (280, 3), (900, 2)] {
        let plan = fleet(groups, each);
        let total = groups * each;
        let text = plan_markdown::report(&plan, &CommentOptions::default());
        let told = text.matches("<details").count();
        assert!(told < groups, "{text}");
        assert!(
            text.contains(&format!(
                "{} of {groups} groups are not told in full",
                groups - told
            )),
            "{text}"
        );
        let named = text.matches("`vm-").count() + text.matches("/vm-").count();
        let unnamed = format!(
            "{} of {total} virtual machines are not named",
            total - named
        );
        assert_eq!(
            text.contains("machines are not named"),
            named < total,
            "{text}"
        );
        assert!(named == total || text.contains(&unnamed), "{named}: {text}");
    }
}

#[test]
fn groups_stand_open_where_there_are_three_at_most() {
    for (groups, open) in [(1, 1), (3, 3), (4, 0)] {
        let text = plan_markdown::report(&fleet(groups, 2), &CommentOptions::default());
        assert_eq!(text.matches("<details open>").count(), open, "{groups}");
    }
}

#[test]
fn a_line_keeps_thirty_characters_however_narrow_the_terminal_is() {
    let mut vm = row("web", Action::Restart);
    vm.reasons = vec![Reason::new("word ".repeat(40))];
    let layout = TextLayout {
        width: 5,
        ..TextLayout::default()
    };
    let text = plan_text::report(&plan_of(vec![vm]), layout);
    let widest = text.lines().map(|line| line.trim().chars().count()).max();
    assert!(
        widest.is_some_and(|widest| (26..=32).contains(&widest)),
        "{text}"
    );
}
