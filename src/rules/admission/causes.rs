//! What the webhooks object to, in their order, each with the rule that explains it.

use std::fmt::Display;

use crate::cause::Cause;
use crate::field_path::FieldPath;
use crate::rules::Rule;

/// Causes a webhook's answer lists at most; the rest it only counts.
pub(crate) const LISTED: usize = 10;

/// One cause of a refusal.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The rule that explains it.
    pub rule: &'static Rule,
    /// KubeVirt's field and words.
    pub cause: Cause,
    /// The field to point at: KubeVirt's, or ours where that is not a path of the object.
    pub field: FieldPath,
    /// What to do.
    pub help: Option<String>,
    /// The feature gate or setting of the cluster the refusal depends on.
    pub setting: Option<String>,
    /// Whether it depends on `vmRolloutStrategy`, whose default says what a change of a running guest does.
    pub follows_rollout: bool,
    /// Whether the cluster refuses it for sure: false where what it depends on is not known.
    pub certain: bool,
}

impl Hit {
    /// Names the field in the object, where KubeVirt's name is none.
    pub fn at(&mut self, path: impl Into<FieldPath>) -> &mut Self {
        self.field = path.into();
        self
    }

    /// KubeVirt's own name of the field, where it is not how a path is written.
    pub fn named(&mut self, name: impl Into<String>) -> &mut Self {
        self.cause.field = name.into();
        self
    }

    /// Says what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// The refusal depends on a setting of the cluster: `emulatedMachines`.
    pub(crate) fn setting(&mut self, setting: impl Into<String>) -> &mut Self {
        self.setting = Some(setting.into());
        self
    }

    /// The refusal depends on how the cluster rolls out changes of a running guest.
    pub(crate) fn by_rollout(&mut self) -> &mut Self {
        self.follows_rollout = true;
        self.setting("`vmRolloutStrategy`")
    }

    /// The refusal depends on a feature gate; says so and how to get it.
    pub fn gate(&mut self, gate: &str) -> &mut Self {
        self.setting = Some(format!("the feature gate `{gate}`"));
        self.help.get_or_insert_with(|| {
            format!("enable the feature gate `{gate}` or leave the field out")
        });
        self
    }
}

impl Rule {
    /// Refuses a field; the caller goes on to say why.
    pub(crate) fn refuse<'c>(
        &'static self,
        causes: &'c mut Causes,
        field: impl Into<FieldPath>,
    ) -> Refused<'c> {
        Refused {
            rule: self,
            causes,
            field: field.into(),
        }
    }

    /// Refuses what an earlier stage has put into words.
    pub(crate) fn refuse_for<'c>(
        &'static self,
        causes: &'c mut Causes,
        cause: Cause,
    ) -> &'c mut Hit {
        self.refuse(causes, FieldPath::parse(&cause.field))
            .because(cause.message)
            .named(cause.field)
    }
}

/// A refused field; the reason makes it a cause.
#[derive(Debug)]
#[must_use = "the refusal counts once its reason is given"]
pub(crate) struct Refused<'c> {
    rule: &'static Rule,
    causes: &'c mut Causes,
    field: FieldPath,
}

impl<'c> Refused<'c> {
    /// KubeVirt's words for it, where they open with the field's path.
    pub(crate) fn because_it(self, words: impl Display) -> &'c mut Hit {
        let message = format!("{} {words}", self.field);
        self.because(message)
    }

    /// KubeVirt's words for it.
    pub(crate) fn because(self, message: impl Into<String>) -> &'c mut Hit {
        let Self {
            rule,
            causes,
            field,
        } = self;
        causes.hits.push(Hit {
            rule,
            cause: Cause::new(field.to_string(), message),
            field,
            help: None,
            setting: None,
            follows_rollout: false,
            certain: true,
        });
        causes.hits.last_mut().expect("just pushed")
    }
}

/// Collects causes in the webhook's order.
#[derive(Debug, Default)]
pub struct Causes {
    hits: Vec<Hit>,
    crash: Option<String>,
}

impl Causes {
    /// KubeVirt's code would crash here; what it would trip over. Only the first counts.
    pub fn crash(&mut self, message: impl Into<String>) {
        self.crash.get_or_insert_with(|| message.into());
    }

    /// What KubeVirt's code would trip over, if anything.
    pub(crate) fn crashed(&self) -> Option<&str> {
        self.crash.as_deref()
    }

    /// The causes in order, taken out.
    pub(crate) fn into_hits(self) -> Vec<Hit> {
        self.hits
    }

    /// How many causes there are.
    pub(crate) const fn len(&self) -> usize {
        self.hits.len()
    }

    /// Whether there is no cause and no crash.
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.crash.is_none()
    }

    /// Whether a webhook with this knowledge stops here: a cause that depends on an unknown setting does not stop it.
    pub fn stop(&self, settings_known: bool) -> bool {
        self.crash.is_some()
            || self
                .hits
                .iter()
                .any(|hit| settings_known || hit.setting.is_none())
    }
}
