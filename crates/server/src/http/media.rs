//! Which format a client wants its answer in.

use hyper::{
    HeaderMap,
    header::{ACCEPT, ACCEPT_ENCODING},
};
use wire::{Format, four};

use crate::reply::JSON;

/// How an answer of TinkerPop 3 is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// As a message.
    As(Format),
    /// As lines that people read: `==>v[1]`.
    Text,
}

/// How to answer for an `Accept` header as TinkerPop 3, with the content type. `None`: no format for any of it.
///
/// The client's order and `q` values count; a wildcard means the default, typed GraphSON 3.
pub(super) fn accepted(header: Option<&str>) -> Option<(Written, String)> {
    choose(header, |mime| match mime {
        DEFAULT => Some(Written::As(JSON)),
        "text/plain" => Some(Written::Text),
        mime => Format::from_mime(mime).map(Written::As),
    })
}

/// The same of TinkerPop 4, whose default is untyped GraphSON 4.
pub(super) fn accepted_of_four(header: Option<&str>) -> Option<(four::Format, String)> {
    let untyped = four::Format::GraphSon { typed: false };
    match header {
        None => Some((untyped, untyped.mime().into())),
        header => {
            choose(header, |mime| if mime == DEFAULT { Some(untyped) } else { four::Format::from_mime(mime) })
        }
    }
}

/// The version of TinkerPop whose formats an `Accept` header names; `None` if it names those of neither.
pub(super) fn version_wanted(headers: &HeaderMap) -> Option<u8> {
    let header = headers.get(ACCEPT)?.to_str().ok()?;
    let version = |mime: &str| match mime.strip_prefix("application/vnd.") {
        Some(_) if four::Format::from_mime(mime).is_some() => Some(4),
        Some(_) if Format::from_mime(mime).is_some() => Some(3),
        _ => None,
    };
    choose(Some(header), version).map(|(version, _)| version)
}

/// Whether a client takes an answer that is compressed so.
pub(super) fn takes(headers: &HeaderMap, encoding: &str) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(range).any(|(name, q)| name == encoding && q > 0.0)
}

/// What a wildcard means.
const DEFAULT: &str = "application/json";

/// The first format that there is, in the order that a client would like.
fn choose<F>(header: Option<&str>, format: impl Fn(&str) -> Option<F>) -> Option<(F, String)> {
    let Some(header) = header else { return format(DEFAULT).map(|format| (format, DEFAULT.into())) };
    let mut ranges: Vec<_> = header.split(',').map(range).filter(|(_, q)| *q > 0.0).collect();
    // Stable: among equals the client's order stands.
    ranges.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    ranges.into_iter().find_map(|(mime, _)| {
        let mime = match &*mime {
            "*/*" | "application/*" => DEFAULT.into(),
            "text/*" => "text/plain".into(),
            _ => mime,
        };
        format(&mime).map(|format| (format, mime))
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
        assert_eq!(accepted(Some("text/plain, */*;q=0.1")), Some((Written::Text, "text/plain".into())));
        assert_eq!(
            mime("application/vnd.gremlin-v3.0+json;types=false").unwrap(),
            "application/vnd.gremlin-v3.0+json;types=false"
        );
    }

    #[test]
    fn a_format_says_which_version_is_wanted_and_json_alone_says_nothing() {
        let wanted =
            |accept: &'static str| version_wanted(&[(ACCEPT, accept.parse().unwrap())].into_iter().collect());
        assert_eq!(wanted("application/vnd.graphbinary-v4.0"), Some(4));
        assert_eq!(wanted("application/json;q=0.5, application/vnd.gremlin-v4.0+json;types=false"), Some(4));
        assert_eq!(wanted("application/vnd.gremlin-v3.0+json"), Some(3));
        assert_eq!(wanted("application/json, */*"), None);
        let four = |header| accepted_of_four(header).map(|(_, mime)| mime);
        assert_eq!(four(None).unwrap(), "application/vnd.gremlin-v4.0+json;types=false");
        assert_eq!(four(Some("*/*")).unwrap(), "application/json");
        assert_eq!(four(Some("application/vnd.graphbinary-v1.0")), None);
    }

    #[test]
    fn compression_is_for_those_who_ask_for_it() {
        let takes = |list: &'static str| {
            takes(&[(ACCEPT_ENCODING, list.parse().unwrap())].into_iter().collect(), "deflate")
        };
        assert!(takes("gzip, deflate") && takes("deflate;q=0.5"));
        assert!(!takes("gzip") && !takes("deflate;q=0") && !super::takes(&HeaderMap::new(), "deflate"));
    }

    #[test]
    fn what_nobody_speaks_is_refused() {
        assert_eq!(mime("text/html"), None);
        assert_eq!(mime("application/json;q=0"), None);
    }
}
