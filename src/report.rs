//! Results in, bytes out: one pure writer a format.

pub mod plan_html;
pub mod plan_json;
pub mod plan_markdown;
pub mod plan_text;
