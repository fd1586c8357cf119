//! The plan as one page that needs no server: filters, search, and the expanded VM of both sides beside each other.
//!
//! Tests drive it by `#search`, `#shown`, `.filters button[data-filter]` and `.vm[data-action][data-name]`.

use std::fmt::Write as _;

use similar::{ChangeTag, DiffOp, TextDiff};

use super::plan_text::printable;
use crate::plan::{Action, Effect, Plan, Power, Reason, VmPlan};
use crate::shown::secret::{mark_changed, redacted};
use crate::yaml::{Node, emit};

const STYLE: &str = include_str!("plan_html/page.css");
const SCRIPT: &str = include_str!("plan_html/page.js");
/// Lines of context around a difference.
const CONTEXT: usize = 3;
/// Most rows one VM's comparison may take.
const MOST_ROWS: usize = 600;

/// The plan as an HTML page.
pub fn report(plan: &Plan) -> String {
    let mut out = String::new();
    let title = format!("Plan: {} → {}", plan.base, plan.head);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        text(&title)
    );
    let _ = write!(
        out,
        "<header>\n<h1>What this change does to virtual machines</h1>\n\
         <p><code>{}</code> → <code>{}</code>, KubeVirt {}</p>\n",
        text(&plan.base),
        text(&plan.head),
        plan.kubevirt
    );
    counts(plan, &mut out);
    for note in &plan.notes {
        let _ = writeln!(out, "<p class=\"muted\">{}</p>", text(note));
    }
    out.push_str("</header>\n<main>\n");
    bar(plan, &mut out);
    let ordered = Action::ALL.into_iter().flat_map(|action| {
        plan.virtual_machines
            .iter()
            .filter(move |vm| vm.action == action)
    });
    for (at, vm) in ordered.enumerate() {
        one(at, vm, &mut out);
    }
    let _ = write!(
        out,
        "<p id=\"nothing\" hidden>No virtual machine fits the filter.</p>\n</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

fn counts(plan: &Plan, out: &mut String) {
    if plan.virtual_machines.is_empty() {
        out.push_str("<p>The change touches no virtual machine.</p>\n");
        return;
    }
    out.push_str("<table class=\"counts\" id=\"counts\"><tbody>\n");
    for (action, count) in plan.counts() {
        let word = action.as_str();
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\" class=\"{word}\">{word}</th><td>{count}</td></tr>"
        );
    }
    for power in [Power::Start, Power::Stop] {
        let count = plan.powered(power);
        if count > 0 {
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">power: {}</th><td>{count}</td></tr>",
                power.as_str()
            );
        }
    }
    out.push_str("</tbody></table>\n");
}

fn bar(plan: &Plan, out: &mut String) {
    out.push_str(
        "<div class=\"bar\" role=\"search\">\n<label for=\"search\">Search by name, field or file</label><br>\n\
         <input id=\"search\" type=\"search\" autocomplete=\"off\" placeholder=\"Press / to search\">\n\
         <div class=\"filters\" role=\"group\" aria-label=\"Filter by action\">\n\
         <button type=\"button\" data-filter=\"\" aria-pressed=\"true\">all</button>\n",
    );
    for (action, count) in plan.counts() {
        let word = action.as_str();
        let _ = writeln!(
            out,
            "<button type=\"button\" class=\"{word}\" data-filter=\"{word}\" aria-pressed=\"false\">{word} {count}</button>"
        );
    }
    out.push_str("</div>\n<p id=\"shown\" class=\"muted\" aria-live=\"polite\"></p>\n</div>\n");
}

fn one(at: usize, vm: &VmPlan, out: &mut String) {
    let name = format!("{}/{}", vm.namespace, vm.name);
    let word = vm.action.as_str();
    let _ = write!(
        out,
        "<details class=\"vm\" id=\"vm-{at}\" data-action=\"{word}\" data-name=\"{}\" data-text=\"{}\">\n\
         <summary><span class=\"action {word}\">{word}</span><span class=\"name\">{}</span><span class=\"muted\">{}{}</span></summary>\n\
         <div class=\"body\">\n",
        text(&name),
        text(&haystack(vm)),
        text(&name),
        vm.change.as_str(),
        match vm.power {
            Power::Unchanged => "",
            Power::Start => ", the guest starts",
            Power::Stop => ", the guest stops",
        }
    );
    reasons(vm, out);
    fields(vm, out);
    if let (Some(before), Some(after)) = (&vm.before, &vm.after) {
        compare(before, after, out);
    }
    out.push_str("</div>\n</details>\n");
}

/// What the search looks through.
fn haystack(vm: &VmPlan) -> String {
    let mut words = vec![
        format!("{}/{}", vm.namespace, vm.name),
        vm.action.as_str().to_owned(),
        vm.change.as_str().to_owned(),
    ];
    for reason in &vm.reasons {
        words.extend(reason.field.as_ref().map(ToString::to_string));
        words.push(reason.message.clone());
    }
    words.extend(vm.fields.iter().map(|field| field.path.to_string()));
    words.extend(vm.causes.iter().cloned());
    words.join(" ").to_lowercase()
}

fn reasons(vm: &VmPlan, out: &mut String) {
    out.push_str("<ul>\n");
    for reason in &vm.reasons {
        let _ = writeln!(out, "<li>{}</li>", line(reason));
    }
    for loss in &vm.loses {
        let _ = writeln!(
            out,
            "<li>loses {} <code>{}</code></li>",
            loss.what,
            text(&loss.name)
        );
    }
    for volume in &vm.volumes {
        let _ = writeln!(
            out,
            "<li>volume <code>{}</code>: <code>{}</code> → <code>{}</code> ({})</li>",
            text(&volume.name),
            text(&volume.from),
            text(&volume.to),
            volume.verdict
        );
    }
    for assumption in &vm.assumptions {
        let _ = writeln!(
            out,
            "<li class=\"muted\">assumed: {}</li>",
            text(assumption)
        );
    }
    for cause in &vm.causes {
        let _ = writeln!(
            out,
            "<li class=\"muted\">in <code>{}</code></li>",
            text(cause)
        );
    }
    out.push_str("</ul>\n");
}

fn line(reason: &Reason) -> String {
    let mut out = String::new();
    if let Some(field) = &reason.field {
        let _ = write!(out, "<code>{}</code>: ", text(&field.to_string()));
    }
    match (&reason.from, &reason.to) {
        (Some(from), Some(to)) => {
            let _ = write!(
                out,
                "<code>{}</code> → <code>{}</code>: ",
                text(from),
                text(to)
            );
        }
        (None, Some(to)) => {
            let _ = write!(out, "added <code>{}</code>: ", text(to));
        }
        (Some(from), None) => {
            let _ = write!(out, "removed <code>{}</code>: ", text(from));
        }
        (None, None) => {}
    }
    out.push_str(&text(&reason.message));
    if let Some(said) = &reason.kubevirt {
        let _ = write!(
            out,
            "<span class=\"said\">KubeVirt: {}</span>",
            text(&said.message)
        );
    }
    out
}

fn fields(vm: &VmPlan, out: &mut String) {
    if vm.fields.is_empty() {
        return;
    }
    out.push_str(
        "<div class=\"scroll\"><table class=\"fields\"><thead><tr><th scope=\"col\">field of the expanded VM</th>\
         <th scope=\"col\">from</th><th scope=\"col\">to</th><th scope=\"col\">effect</th></tr></thead><tbody>\n",
    );
    for field in &vm.fields {
        let value = |value: &Option<String>| {
            value
                .as_ref()
                .map_or_else(String::new, |value| format!("<code>{}</code>", text(value)))
        };
        let word = field.effect.as_str();
        let class = match field.effect {
            Effect::Live => "live",
            Effect::Restart => "restart",
            Effect::NextStart => "next-start",
            Effect::None => "none",
        };
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td class=\"{class}\">{word}</td></tr>",
            text(&field.path.to_string()),
            value(&field.from),
            value(&field.to),
        );
    }
    out.push_str("</tbody></table></div>\n");
}

/// The expanded VM of both sides beside each other, only around what differs.
fn compare(before: &Node, after: &Node, out: &mut String) {
    let mut marked = redacted(after);
    mark_changed(before, after, &mut marked);
    let (before, after) = (emit::to_string(&redacted(before)), emit::to_string(&marked));
    if before == after {
        return;
    }
    let diff = TextDiff::from_lines(before.as_str(), after.as_str());
    out.push_str(
        "<table class=\"diff\"><caption class=\"muted\">expanded VM</caption><thead><tr><th scope=\"col\">base</th>\
         <th scope=\"col\">head</th></tr></thead><tbody>\n",
    );
    let mut rows = 0;
    for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if at > 0 {
            out.push_str("<tr class=\"gap\"><td>⋯</td><td>⋯</td></tr>\n");
        }
        for op in group {
            rows += op_rows(&diff, op, out);
            if rows > MOST_ROWS {
                out.push_str(
                    "<tr class=\"gap\"><td>more is left out</td><td></td></tr>\n</tbody></table>\n",
                );
                return;
            }
        }
    }
    out.push_str("</tbody></table>\n");
}

fn op_rows(diff: &TextDiff<'_, '_, str>, op: &DiffOp, out: &mut String) -> usize {
    let mut left = Vec::new();
    let mut right = Vec::new();
    let mut rows = 0;
    for change in diff.iter_changes(op) {
        let value = change.value().trim_end_matches('\n').to_owned();
        match change.tag() {
            ChangeTag::Equal => {
                let value = text(&value);
                let _ = writeln!(
                    out,
                    "<tr class=\"same\"><td><span class=\"sign\"> </span>{value}</td><td><span class=\"sign\"> </span>{value}</td></tr>"
                );
                rows += 1;
            }
            ChangeTag::Delete => left.push(value),
            ChangeTag::Insert => right.push(value),
        }
    }
    for at in 0..left.len().max(right.len()) {
        let cell = |value: Option<&String>, class: &str, sign: char| {
            value.map_or_else(
                || "<td></td>".to_owned(),
                |value| {
                    format!(
                        "<td class=\"{class}\"><span class=\"sign\">{sign}</span>{}</td>",
                        text(value)
                    )
                },
            )
        };
        let _ = writeln!(
            out,
            "<tr>{}{}</tr>",
            cell(left.get(at), "del", '−'),
            cell(right.get(at), "add", '+')
        );
        rows += 1;
    }
    rows
}

/// Text that is inert in an element and in a quoted attribute.
fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in printable(value).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
