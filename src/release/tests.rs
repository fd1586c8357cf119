//! How releases are parsed, and what the table of behaviours holds.

use super::*;

#[test]
fn releases_parse_as_people_write_them() {
    let newest = Release::NEWEST.as_str();
    for text in [
        newest,
        &format!("v{newest}"),
        &format!("v{newest}.0"),
        &format!(" {newest}.1-rc.0"),
    ] {
        assert_eq!(text.parse::<Release>().unwrap(), Release::NEWEST);
    }
    for text in ["1.0", "2", "", "1.99", "next"] {
        assert!(text.parse::<Release>().is_err(), "{text}");
    }
}

#[test]
fn a_number_that_may_have_lost_a_zero_is_no_release() {
    assert_eq!(Release::from_number(1.9).unwrap(), Release::V1_9);
    assert!(lost_zero("1.1", ["1.1", "1.10"].into_iter()));
    assert!(!lost_zero("1.9", ["1.9", "1.10"].into_iter()));
}

#[test]
fn older_targets_are_judged_as_the_first_proved_release() {
    assert!(Release::V1_2.has(Behaviour::DefaultsRequestsMemory));
    assert!(!Release::V1_6.has(Behaviour::DefaultsRequestsMemory));
    assert_eq!(Release::all_proved().next(), Some(Release::FIRST_PROVED));
    assert!(Release::V1_4.keeps_revisions_in_spec());
    assert!(!Release::V1_5.keeps_revisions_in_spec());
}

#[test]
fn the_next_release_inherits_every_behaviour_of_the_newest() {
    for behaviour in Behaviour::ALL {
        assert_eq!(
            Release::Next.has(*behaviour),
            Release::NEWEST.has(*behaviour),
            "{behaviour:?}"
        );
    }
    assert_eq!(Release::NEWEST.gained_and_lost(Release::Next).count(), 0);
}

#[test]
fn a_range_reaches_from_its_first_release_to_its_last() {
    let range = ReleaseRange::between(Some(Release::V1_5), Some(Release::V1_6));
    let inside: Vec<&Release> = Release::TARGETS
        .iter()
        .filter(|release| range.contains(**release))
        .collect();
    assert_eq!(inside, [&Release::V1_5, &Release::V1_6]);
    assert_eq!(range.to_string(), "1.5 to 1.6");
    let open = ReleaseRange::between(None, None);
    assert!(
        Release::TARGETS
            .iter()
            .all(|release| open.contains(*release))
    );
    assert!(open.contains(Release::Next));
    assert_eq!(range.with(open), open);
}

#[test]
fn a_cluster_upgrade_is_told_what_it_gains_and_loses() {
    let told: Vec<_> = Release::V1_5.gained_and_lost(Release::V1_7).collect();
    assert!(told.contains(&(Release::V1_7, "a preference may set the architecture")));
    assert!(
        told.iter()
            .any(|(release, words)| *release == Release::V1_7
                && words.starts_with("revisions stored"))
    );
    assert!(!told.iter().any(|(release, _)| *release > Release::V1_7));
}

#[test]
fn the_upgrade_from_the_oldest_proved_release_is_told() {
    let told: Vec<_> = Release::V1_4.gained_and_lost(Release::V1_5).collect();
    let says = |words: &str| told.iter().any(|(_, said)| said.contains(words));
    assert!(told.iter().all(|(release, _)| *release == Release::V1_5));
    for words in [
        "LiveUpdate takes effect without its feature gate",
        "`updateVolumesStrategy` takes effect",
        "waits for a destination",
        "the link of an interface",
        "guests of arm64",
        "realtime and SEV guests",
        "revision names in `status`",
    ] {
        assert!(says(words), "{words}: {told:?}");
    }
    assert_eq!(Release::V1_3.gained_and_lost(Release::V1_4).count(), 0);
}

#[test]
fn only_what_ended_is_lost() {
    for behaviour in Behaviour::ALL {
        let ended = behaviour.releases().last().is_some();
        let lost = matches!(behaviour.preview(), Preview::Lost(_));
        assert!(ended || !lost, "{behaviour:?} is lost to nobody");
    }
}
