//! The plan in every format, over one shared plan.

use driftless::plan::Plan;
use driftless::report::{plan_html, plan_json, plan_markdown, plan_text};

use crate::support::{change, files};

fn vm(name: &str, guest: &str) -> String {
    format!(
        "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: \"{name}\", namespace: vms}}\nspec:\n  runStrategy: Always\n  template:\n    spec:\n      hostname: h\n      domain: {{cpu: {{sockets: 1, cores: 1, threads: 1}}, devices: {{}}, memory: {{guest: {guest}}}}}\n"
    )
}

fn shared() -> Plan {
    let nasty = "<b onclick='x()'>`|@team\\u202e";
    let base = vm("a", "2Gi") + &vm("b", "2Gi") + &vm(nasty, "2Gi") + &vm("gone", "2Gi");
    let head = vm("a", "4Gi") + &vm("b", "2Gi").replace("hostname: h", "hostname: other") + &vm(nasty, "3Gi") + &vm("new", "1Gi").replace("hostname: h", "subdomain: s\n      schedulerName: t\n      priorityClassName: u\n      dnsPolicy: None");
    change(&base, &head).plan()
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
    let value = plan_json::value(&shared());
    assert_eq!(value["summary"]["action"]["live"], 2, "{value:#}");
    assert_eq!(value["summary"]["action"]["restart"], 1);
}

#[test]
fn text_puts_counts_first_and_the_worst_machine_first() {
    let text = plan_text::report(&shared(), false);
    let at = |needle: &str| {
        text.find(needle)
            .unwrap_or_else(|| panic!("{needle} in\n{text}"))
    };
    assert!(at("live  ") < at("restart vms/b"));
    assert!(at("restart vms/b") < at("live vms/a"));
    assert!(text.contains("spec.template.spec.hostname: h → other"));
    assert!(!text.contains('\u{202e}'));
}

#[test]
fn markdown_fits_a_comment_whatever_its_size() {
    let side = |guest: &str| {
        (0..5000)
            .map(|at| vm(&format!("vm-{at}"), guest))
            .collect::<String>()
    };
    let plan = files(&[("a.yaml", &side("2Gi"))], &[("a.yaml", &side("4Gi"))]).plan();
    assert_eq!(plan.virtual_machines.len(), 5000);
    let text = plan_markdown::report(&plan);
    assert!(text.len() < plan_markdown::MOST, "{}", text.len());
    assert!(text.contains("| live | 5000 |"));
    assert!(text.find("| live | 5000 |") < text.find("#### live"));
    assert!(text.contains("of 5000 virtual machines are left out"));
}

#[test]
fn markdown_holds_names_as_text() {
    let text = plan_markdown::report(&shared());
    assert!(
        !text.contains("\n<b") && !text.contains("@team |"),
        "{text}"
    );
}

#[test]
fn html_is_one_page_in_which_names_are_inert() {
    let page = plan_html::report(&shared());
    assert!(!page.contains("<b onclick"), "names are escaped");
    assert!(page.contains("&lt;b onclick=&#39;x()&#39;&gt;"));
    for handle in [
        "id=\"search\"",
        "id=\"shown\"",
        "data-filter=\"live\"",
        "data-action=\"restart\"",
        "class=\"diff\"",
    ] {
        assert!(page.contains(handle), "{handle}");
    }
    for outside in ["http://", "https://", "src=\"", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}
