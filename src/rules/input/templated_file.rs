//! A file that becomes YAML only after a template engine ran.

rule! {
    /// ## What it does
    ///
    /// Says that a file was left out because it holds template marks (`{{ }}`, `${NAME}`, `{% %}`) outside of text that the
    /// guest reads. Marks inside `userData` are just text.
    ///
    /// ## Why it matters
    ///
    /// What is in the file is not what reaches the cluster, so nothing can be said about it; leaving it out silently would look
    /// like a pass.
    ///
    /// ## Example
    ///
    /// ```yaml,bad
    /// apiVersion: kubevirt.io/v1
    /// kind: VirtualMachine
    /// metadata:
    ///   name: {{ .Values.name }}
    /// ```
    ///
    /// ```text
    /// `{{` makes it a template (Helm or another Go template): left out
    /// ```
    ///
    /// ```yaml,good
    /// spec:
    ///   template:
    ///     spec:
    ///       volumes:
    ///         - name: root
    ///           cloudInitNoCloud:
    ///             userData: |
    ///               ## template: jinja
    ///               #cloud-config
    ///               hostname: {{ v1.local_hostname }}
    /// ```
    ///
    /// ## Limits
    ///
    /// Render first and judge what comes out: `helm template . | driftless check -`.
    "templated-file": "the file is a template and was left out",
    level: Note,
    check: Input,
}
