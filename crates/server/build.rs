//! Puts the studio's files into the crate, if they are built: `make studio` leaves them in `studio/dist`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let package = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the package is"));
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where to write"));
    let built = package.join("../../studio/dist");
    // The folder is in the repository, with nothing in it, so that cargo sees when something comes.
    println!("cargo:rerun-if-changed={}", built.display());
    let mut files = Vec::new();
    if built.join("index.html").is_file() {
        find(&built, &built, &mut files)?;
    }
    files.sort();
    // Copies, since the page may be built anew while this is compiled.
    let kept = out.join("studio");
    copy(&built, &kept, &files)?;
    fs::write(out.join("studio.rs"), table(&kept, &files))
}

/// The paths of the files below a folder, as they stand in a URL; not those of compressed copies.
fn find(root: &Path, folder: &Path, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            find(root, &path, found)?;
        } else if !name.starts_with('.') && !name.ends_with(".gz") && !name.ends_with(".br") {
            let below = path.strip_prefix(root).unwrap_or(&path);
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            found.push(parts.join("/"));
        }
    }
    Ok(())
}

/// Copies files and their compressed copies into an empty folder.
fn copy(from: &Path, to: &Path, files: &[String]) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    for file in files.iter().flat_map(|file| ["", ".gz", ".br"].map(|ending| format!("{file}{ending}"))) {
        let (source, target) = (from.join(&file), to.join(&file));
        if source.is_file() {
            fs::create_dir_all(target.parent().unwrap_or(to))?;
            fs::copy(source, target)?;
        }
    }
    Ok(())
}

/// The files as an expression: an array of `File`.
fn table(root: &Path, files: &[String]) -> String {
    let bytes = |file: &str, ending: &str| {
        let path = root.join(format!("{file}{ending}"));
        path.is_file().then(|| format!("include_bytes!({:?})", path.display().to_string()))
    };
    let optional = |file: &str, ending: &str| {
        bytes(file, ending).map_or_else(|| "None".to_owned(), |bytes| format!("Some({bytes})"))
    };
    let rows = files.iter().map(|file| {
        let path = if file == "index.html" { "/".to_owned() } else { format!("/{file}") };
        let plain = bytes(file, "").unwrap_or_default();
        let (brotli, gzip) = (optional(file, ".br"), optional(file, ".gz"));
        format!("    File {{ path: {path:?}, plain: {plain}, brotli: {brotli}, gzip: {gzip} }},\n")
    });
    format!("&[\n{}]\n", rows.collect::<String>())
}
