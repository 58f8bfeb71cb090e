//! Which format a client wants its answer in.

use wire::Format;

use crate::reply::JSON;

/// The format for an `Accept` header, with the content type to answer with. `None`: no format for any of it.
///
/// The client's order and `q` values count; a wildcard means the default, typed GraphSON 3.
pub(super) fn accepted(header: Option<&str>) -> Option<(Format, String)> {
    let Some(header) = header else { return Some((JSON, "application/json".into())) };
    let mut ranges: Vec<_> = header.split(',').map(range).filter(|(_, q)| *q > 0.0).collect();
    // Stable: among equals the client's order stands.
    ranges.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    ranges.into_iter().find_map(|(mime, _)| {
        let mime = if matches!(&*mime, "*/*" | "application/*") { "application/json".into() } else { mime };
        Format::from_mime(&mime).map(|format| (format, mime))
    })
}

/// A media range without its quality, and the quality.
fn range(text: &str) -> (String, f32) {
    let mut mime = String::new();
    let mut quality = 1.0;
    for (at, part) in text.split(';').map(str::trim).enumerate() {
        match part.strip_prefix("q=") {
            Some(q) if at > 0 => quality = q.trim().parse().unwrap_or(1.0),
            _ => {
                if at > 0 {
                    mime.push(';');
                }
                mime.push_str(part);
            }
        }
    }
    (mime, quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mime(header: &str) -> Option<String> {
        accepted(Some(header)).map(|(_, mime)| mime)
    }

    #[test]
    fn without_preference_the_answer_is_json() {
        assert_eq!(accepted(None).unwrap().1, "application/json");
        assert_eq!(mime("*/*").unwrap(), "application/json");
        assert_eq!(mime("text/html, application/*;q=0.9, */*;q=0.8").unwrap(), "application/json");
    }

    #[test]
    fn quality_counts_before_order_and_parameters_belong_to_the_type() {
        assert_eq!(
            mime("application/json;q=0.5, application/vnd.graphbinary-v1.0").unwrap(),
            "application/vnd.graphbinary-v1.0"
        );
        assert_eq!(
            mime("application/vnd.gremlin-v3.0+json;types=false").unwrap(),
            "application/vnd.gremlin-v3.0+json;types=false"
        );
    }

    #[test]
    fn what_nobody_speaks_is_refused() {
        assert_eq!(mime("text/html"), None);
        assert_eq!(mime("application/json;q=0"), None);
    }
}
