//! What the webhooks object to, in their order, each with the rule that explains it.

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

    /// The refusal depends on a feature gate; says so and how to get it.
    pub fn gate(&mut self, gate: &str) -> &mut Self {
        self.setting = Some(format!("the feature gate `{gate}`"));
        self.help.get_or_insert_with(|| {
            format!("enable the feature gate `{gate}` or leave the field out")
        });
        self
    }
}

/// Collects causes in the webhook's order.
#[derive(Debug, Default)]
pub struct Causes {
    hits: Vec<Hit>,
    crash: Option<String>,
}

impl Causes {
    /// Adds a cause.
    pub fn push(
        &mut self,
        rule: &'static Rule,
        field: impl Into<FieldPath>,
        message: impl Into<String>,
    ) -> &mut Hit {
        let field = field.into();
        self.hits.push(Hit {
            rule,
            cause: Cause::new(field.to_string(), message),
            field,
            help: None,
            setting: None,
            certain: true,
        });
        self.hits.last_mut().expect("just pushed")
    }

    /// Adds a cause that an earlier stage has put into words.
    pub(crate) fn push_cause(&mut self, rule: &'static Rule, cause: Cause) -> &mut Hit {
        let field = FieldPath::parse(&cause.field);
        self.push(rule, field, cause.message).named(cause.field)
    }

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
