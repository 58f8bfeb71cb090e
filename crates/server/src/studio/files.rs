//! The files of the page, as they were when this was built.

/// A file, and what it is when it is compressed.
#[derive(Debug)]
pub(crate) struct File {
    /// Where it is found.
    pub(crate) path: &'static str,
    pub(crate) plain: &'static [u8],
    pub(crate) brotli: Option<&'static [u8]>,
    pub(crate) gzip: Option<&'static [u8]>,
}

/// All of them; none if Node was missing when this was built.
const FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/studio.rs"));

/// Where the page itself is found. Everything else has what is in it in its name.
pub(crate) const INDEX: &str = "/";

/// Whether the page is there.
pub(crate) fn is_built() -> bool {
    !FILES.is_empty()
}

/// The file at a path.
pub(crate) fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

impl File {
    /// Its media type.
    pub(crate) fn mime(&self) -> &'static str {
        match self.path.rsplit_once('.').map_or("html", |(_, ending)| ending) {
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            "woff2" => "font/woff2",
            "json" => "application/json",
            _ => "application/octet-stream",
        }
    }

    /// Its bytes for who takes these encodings, and the encoding that they have.
    pub(crate) fn bytes(&self, takes: impl Fn(&str) -> bool) -> (&'static [u8], Option<&'static str>) {
        match (self.brotli.filter(|_| takes("br")), self.gzip.filter(|_| takes("gzip"))) {
            (Some(bytes), _) => (bytes, Some("br")),
            (None, Some(bytes)) => (bytes, Some("gzip")),
            (None, None) => (self.plain, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: File =
        File { path: "/studio/a.js", plain: b"plain", brotli: Some(b"br"), gzip: Some(b"gzip") };

    #[test]
    fn a_file_comes_in_the_smallest_form_that_its_client_takes() {
        assert_eq!(SCRIPT.bytes(|_| true), (&b"br"[..], Some("br")));
        assert_eq!(SCRIPT.bytes(|name| name == "gzip"), (&b"gzip"[..], Some("gzip")));
        assert_eq!(SCRIPT.bytes(|_| false), (&b"plain"[..], None));
        let only_plain = File { brotli: None, gzip: None, ..SCRIPT };
        assert_eq!(only_plain.bytes(|_| true), (&b"plain"[..], None));
    }

    #[test]
    fn a_file_says_by_its_name_what_it_is() {
        assert!(SCRIPT.mime().starts_with("text/javascript"));
        assert!(File { path: INDEX, ..SCRIPT }.mime().starts_with("text/html"));
        assert_eq!(File { path: "/studio/b.xyz", ..SCRIPT }.mime(), "application/octet-stream");
    }

    #[test]
    fn the_page_is_there_with_all_of_its_files_or_not_at_all() {
        assert_eq!(is_built(), find(INDEX).is_some());
        assert!(FILES.iter().all(|file| file.path == INDEX || file.path.starts_with("/studio/")));
    }
}
