//! Progress bars on standard error.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of the given template, drawn only if standard error is a terminal.
pub(super) fn bar(template: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(0);
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸─"));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
