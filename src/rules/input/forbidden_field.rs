//! A field that KubeVirt refuses and the API server would keep.

rule! {
    /// ## What it does
    ///
    /// Reports a field that KubeVirt's API does not have, in a place where the API server keeps what it does not know:
    /// `template.metadata`, the metadata of a `dataVolumeTemplate`, `domain.clock`.
    ///
    /// ## Why it matters
    ///
    /// Elsewhere the API server drops an unknown field before anybody sees it. Here it hands the field on, and KubeVirt's
    /// webhook refuses the whole object: it holds every VM against an OpenAPI of its own
    /// (`CreateOpenAPIValidator`, pkg/util/openapi/openapi.go).
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// spec:
    ///   template:
    ///     metadata:
    ///       app: web
    /// ```
    ///
    /// ```text
    /// spec.template.metadata.app: KubeVirt refuses the unknown field `app`
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     metadata:
    ///       labels:
    ///         app: web
    /// ```
    "forbidden-field": "KubeVirt refuses a field it does not have",
    level: Error,
    check: Input,
}
