//! `mangrove.import` and `mangrove.export`: between the graph and the files of a transfer.

use std::{num::NonZeroUsize, sync::atomic::Ordering};

use clap::ValueEnum;
use formats::{BadRows, ImportOptions, ImportPhase, ImportProgress, Merge, PresentOptions, SeveralLabels};
use values::{Map, Value, excerpt};

use super::{failed, transfers};
use crate::{
    Database, Error, ExportFormat, ExportOptions, ImportIntoOptions, ImportSource,
    asker::Asker,
    database::Inner,
    import::check_within,
    transfers::{Transfer, Work, file_name},
};

/// Bad rows that are shown when they are skipped.
const SHOWN: usize = 10;

/// Begins to import the files of a transfer; no result. `mangrove.transfer.status` says how far that is.
pub(super) fn import(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.import";
    let wrong = |problem: String| failed(service, &problem);
    let transfer = transfers::of(inner, service, parameters, asker)?;
    let asked = Asked(parameters);
    let options = asked.import_options(&transfer).map_err(wrong)?;
    let source = asked.text("file").map_err(wrong)?;
    let path = match source {
        None => transfer.directory().to_owned(),
        Some(name) => transfer.directory().join(file_name(name).map_err(wrong)?),
    };
    let is_stream = asked.is("stream").map_err(wrong)?;
    let is_into = asked.is("add").map_err(wrong)? || asked.text("merge").map_err(wrong)?.is_some();
    let database = database(inner, service)?;
    let work = move |transfer: &Transfer| {
        check_within(&path, options.format, transfer.directory()).map_err(|error| error.to_string())?;
        let progress = |progress: ImportProgress| transfer.note(work_of(progress));
        let done = if is_into {
            let source = if is_stream { ImportSource::Nameless(&path) } else { ImportSource::Path(&path) };
            database.import_into(source, &options, &progress).map(|imported| imported.to_string())
        } else {
            let stop = transfer.stopping();
            let filled = database.import_unless(&stop, (&path, !is_stream), &options, &progress);
            filled.map(|summary| summary.to_string())
        };
        done.map_err(|error| error.to_string())
    };
    transfer.work(work).map_err(wrong)?;
    Ok(Vec::new())
}

/// Begins to write the graph into the files of a transfer; its id. `mangrove.transfer.status` says how far that is.
pub(super) fn export(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.export";
    let wrong = |problem: String| failed(service, &problem);
    let asked = Asked(parameters);
    let name = asked.text("file").map_err(wrong)?.ok_or_else(|| wrong("`file` is missing".into()))?;
    if file_name(name).map_err(wrong)?.components().count() != 1 {
        return Err(wrong(format!("{name:?} is more than a name")));
    }
    let options = ExportOptions {
        format: asked.choice::<ExportFormat>("format").map_err(wrong)?,
        query: asked.text("query").map_err(wrong)?.map(str::to_owned),
        overwrite: false,
        edge_ids: !asked.is("noEdgeIds").map_err(wrong)?,
    };
    let transfers = transfers::transfers(inner, service)?;
    transfers.check_room(0).map_err(wrong)?;
    let transfer = transfers.begin(inner.itself.clone(), asker.holder()).map_err(wrong)?;
    let (database, asker, id) = (database(inner, service)?, asker.clone(), transfer.id());
    let target = transfer.directory().join(name);
    let work = move |transfer: &Transfer| {
        let stop = transfer.stopping();
        let go_on = |rows: u64| {
            transfer.note(Work { doing: "writing", rows, ..Work::default() });
            !stop.load(Ordering::Relaxed) && !transfer.is_too_much()
        };
        let done = database.export_for(&asker, &go_on, &target, &options);
        transfer.recount();
        if transfer.is_too_much() {
            return Err("it has more bytes than max_transfer_bytes leaves; try again when others are done, or export a part of it".into());
        }
        done.map(|summary| summary.to_string()).map_err(|error| error.to_string())
    };
    transfer.work(work).map_err(wrong)?;
    Ok(vec![Value::Uuid(id)])
}

/// The graph, for work that goes on when the call has been answered.
fn database(inner: &Inner, service: &str) -> Result<Database, Error> {
    let database = inner.itself.upgrade().map(|inner| Database { inner });
    database.ok_or_else(|| failed(service, "the graph is being closed"))
}

fn work_of(progress: ImportProgress) -> Work {
    let doing = match progress.phase {
        ImportPhase::Looking => "looking",
        ImportPhase::Reading => "reading",
        ImportPhase::Building => "building",
    };
    Work { doing, done: progress.done, total: progress.total, rows: progress.rows }
}

/// The parameters of a call.
struct Asked<'a>(&'a Map);

impl<'a> Asked<'a> {
    fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        match self.0.get(&Value::from(name)) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(other) => Err(format!("`{name}` must be a string, but is a {}", other.type_name())),
        }
    }

    fn is(&self, name: &str) -> Result<bool, String> {
        match self.0.get(&Value::from(name)) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(is)) => Ok(*is),
            Some(other) => Err(format!("`{name}` must be true or false, but is a {}", other.type_name())),
        }
    }

    fn choice<T: ValueEnum>(&self, name: &str) -> Result<Option<T>, String> {
        let read = |text: &str| {
            T::from_str(text, false).map_err(|_| {
                let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
                let names: Vec<_> = names.map(|value| value.get_name().to_owned()).collect();
                format!("`{name}` is {}, and may be {}", excerpt(text), names.join(", "))
            })
        };
        self.text(name)?.map(read).transpose()
    }

    fn import_options(&self, transfer: &Transfer) -> Result<ImportIntoOptions, String> {
        let skips = self.is("skipBadRows")?;
        let several_labels = match self.text("labels")? {
            None | Some("refuse") => SeveralLabels::Refuse,
            Some("first") => SeveralLabels::First,
            Some("join") => SeveralLabels::Join,
            Some(other) => {
                return Err(format!("`labels` is {}, and may be refuse, first or join", excerpt(other)));
            }
        };
        let reading = ImportOptions {
            bad_rows: if skips { BadRows::Skip { reports: SHOWN } } else { BadRows::Stop },
            keep_property_ids: !self.is("newPropertyIds")?,
            several_labels,
            ..ImportOptions::default()
        };
        let is_add = self.is("add")?;
        if is_add && self.text("merge")?.is_some() {
            return Err(
                "`add` and `merge` are two ways to treat what the graph has; leave out one of them".into()
            );
        }
        let is_into = is_add || self.text("merge")?.is_some();
        let rows = match self.0.get(&Value::from("batch")) {
            None | Some(Value::Null) => PresentOptions::default().rows,
            Some(_) if !is_into => {
                return Err("`batch` is for graphs that have data: say `add` or `merge`, too".into());
            }
            Some(rows) => rows
                .as_i64()
                .and_then(|rows| NonZeroUsize::new(usize::try_from(rows).ok()?))
                .ok_or("`batch` must be a number of rows, at least 1")?,
        };
        let writing = PresentOptions {
            merge: match self.text("merge")? {
                None => Merge::Nothing,
                Some("id") => Merge::ById,
                Some(key) => Merge::ByKey(key.to_owned()),
            },
            new_ids: self.is("newIds")?,
            rows,
            stop: Some(transfer.stopping()),
            ..PresentOptions::default()
        };
        Ok(ImportIntoOptions { format: self.choice("format")?, reading, writing, again: self.is("again")? })
    }
}
