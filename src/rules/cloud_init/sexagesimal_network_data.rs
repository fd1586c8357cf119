//! Network data with a number where an address is meant.

use crate::rules::cloud_init::user_data::network_data;
use crate::rules::guests::guests;
use crate::rules::{Context, Findings};

rule! {
    /// ## What it does
    ///
    /// Reports a value of network data that has no quotes and that YAML 1.1 reads as a number to base 60, such as the MAC
    /// address `52:54:00:12:34:56`.
    ///
    /// ## Why it matters
    ///
    /// cloud-init gets the number 41135085296 in place of the address, matches no interface, and the guest has no network. An
    /// address that holds a letter, or begins with a zero, is read as text; the next machine's address is not.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             networkData: |
    ///               version: 2
    ///               ethernets:
    ///                 nic:
    ///                   match: {macaddress: 52:54:00:12:34:56}
    ///                   dhcp4: true
    /// ```
    ///
    /// ```text
    /// spec.template.spec.volumes[0].cloudInitNoCloud.networkData: cloud-init reads 52:54:00:12:34:56 (line 4) as a number
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             networkData: |
    ///               version: 2
    ///               ethernets:
    ///                 nic:
    ///                   match: {macaddress: "52:54:00:12:34:56"}
    ///                   dhcp4: true
    /// ```
    ///
    /// ## Limits
    ///
    /// What is encrypted is not read.
    "sexagesimal-network-data": "YAML reads an address of the network data as a number",
    level: Warning,
    check: Catalog(check),
}

fn check(context: &Context<'_>, findings: &mut Findings) {
    for guest in guests(context.catalog) {
        for data in network_data(&guest, context)
            .into_iter()
            .filter(|data| !data.opaque)
        {
            // What a Secret holds is not told.
            let is_secret = data.secret.is_some();
            let found: Vec<String> = numbers(&data.text)
                .map(|(line, value)| {
                    let value = if is_secret { "an address" } else { value };
                    format!("{value} (line {line})")
                })
                .collect();
            let message = match found.as_slice() {
                [] => continue,
                [value] => format!("cloud-init reads {value} as a number"),
                values => format!("cloud-init reads {} as numbers", values.join(", ")),
            };
            let finding = findings.report(guest.resource, data.field.clone(), message);
            finding.help("put the address in quotes");
            data.explain(finding);
        }
    }
}

/// The values without quotes that YAML 1.1 reads as a number to base 60, each with its line.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let line = line.split(" #").next().unwrap_or_default();
        let words = line.split([' ', '\t', ',', '{', '}', '[', ']']);
        words
            .filter(|word| is_sexagesimal(word))
            .map(move |word| (index + 1, word))
    })
}

/// Whether YAML 1.1 reads a word as an integer to base 60: no zero in front, and 0 to 59 after each colon.
fn is_sexagesimal(word: &str) -> bool {
    let mut parts = word.strip_prefix(['+', '-']).unwrap_or(word).split(':');
    let first = parts.next().unwrap_or_default();
    let mut count = 0;
    let rest = parts.all(|part| {
        count += 1;
        matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
    });
    rest && count > 0
        && first.starts_with(|c: char| matches!(c, '1'..='9'))
        && first.bytes().all(|c| c.is_ascii_digit() || c == b'_')
}

#[cfg(test)]
mod tests {
    use super::{is_sexagesimal, numbers};

    #[test]
    fn only_digits_up_to_59_make_a_number() {
        for (word, expected) in [
            ("52:54:00:12:34:56", true),
            ("52:54:00:12:34:59", true),
            ("52:54:00:12:34:60", false),
            ("02:54:00:12:34:56", false),
            ("52:54:00:12:34:5a", false),
            ("1:0", true),
            ("190:20:30", true),
            ("1:", false),
            ("52", false),
            ("\"52:54:00:12:34:56\"", false),
            ("fe80::1", false),
            ("12::30", false),
        ] {
            assert_eq!(is_sexagesimal(word), expected, "{word}");
        }
    }

    #[test]
    fn the_line_is_told_and_comments_are_left_out() {
        let text = "a: 1\nb: [10:20, 'x'] # 10:30\n";
        assert_eq!(numbers(text).collect::<Vec<_>>(), [(2, "10:20")]);
    }
}
