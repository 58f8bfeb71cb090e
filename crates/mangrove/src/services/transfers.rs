//! `mangrove.transfer.…`: files of imports and exports, piece by piece.

use std::sync::Arc;

use uuid::Uuid;
use values::{Map, Value};

use super::failed;
use crate::{
    Error,
    asker::Asker,
    database::Inner,
    transfers::{Stage, Transfer, Transfers},
};

/// Bytes that are sent at once.
const PIECE: u64 = 1 << 20;

/// Begins one; its id.
pub(super) fn begin(inner: &Inner, _: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.transfer.begin";
    let transfer = transfers(inner, service)?.begin(inner.itself.clone(), asker.holder());
    Ok(vec![Value::Uuid(transfer.map_err(|problem| failed(service, &problem))?.id())])
}

/// Puts a piece at the end of a file; how long it is then.
pub(super) fn put(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.transfer.put";
    let transfer = of(inner, service, parameters, asker)?;
    let Some(Value::Binary(bytes)) = parameters.get(&Value::from("bytes")) else {
        return Err(failed(service, "`bytes` must be bytes, as GraphBinary has them"));
    };
    let put = || {
        transfers(inner, service).map_err(|error| error.to_string())?.check_room(bytes.len() as u64)?;
        transfer.append(&file(parameters)?, offset(parameters)?, bytes)
    };
    put().map(|length| vec![whole(length)]).map_err(|problem| failed(service, &problem))
}

/// A piece of a file; none at its end.
pub(super) fn get(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.transfer.get";
    let transfer = of(inner, service, parameters, asker)?;
    let get = || transfer.read(&file(parameters)?, offset(parameters)?, PIECE);
    let bytes = get().map_err(|problem| failed(service, &problem))?;
    Ok(if bytes.is_empty() { Vec::new() } else { vec![Value::Binary(bytes.into())] })
}

/// Its files: a map each.
pub(super) fn list(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.transfer.list";
    let files =
        of(inner, service, parameters, asker)?.files().map_err(|problem| failed(service, &problem))?;
    let row = |(name, bytes): (String, u64)| {
        let mut row = Map::new();
        row.insert("file", name);
        row.insert("bytes", whole(bytes));
        row.into()
    };
    Ok(files.into_iter().map(row).collect())
}

/// How far it is.
pub(super) fn status(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let transfer = of(inner, "mangrove.transfer.status", parameters, asker)?;
    let mut row = Map::new();
    match transfer.stage() {
        Stage::Filling => row.insert("state", "filling"),
        Stage::Done(said) => {
            row.insert("state", "done");
            row.insert("said", said)
        }
        Stage::Failed(problem) => {
            row.insert("state", "failed");
            row.insert("said", problem)
        }
        Stage::Working(work) => {
            row.insert("state", "working");
            row.insert("doing", work.doing);
            row.insert("done", whole(work.done));
            row.insert("total", whole(work.total));
            row.insert("rows", whole(work.rows))
        }
    };
    Ok(vec![row.into()])
}

/// Ends it; no result.
pub(super) fn end(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.transfer.end";
    let transfer = of(inner, service, parameters, asker)?;
    transfers(inner, service)?.end(&transfer);
    Ok(Vec::new())
}

pub(super) fn transfers<'a>(inner: &'a Inner, service: &str) -> Result<&'a Transfers, Error> {
    let transfers = inner.options.transfers.as_deref();
    transfers.ok_or_else(|| failed(service, "this graph is no part of a server that takes files"))
}

/// The transfer that is meant.
pub(super) fn of(
    inner: &Inner,
    service: &str,
    parameters: &Map,
    asker: &Asker,
) -> Result<Arc<Transfer>, Error> {
    let id = match parameters.get(&Value::from("transfer")) {
        Some(Value::Uuid(id)) => Some(*id),
        Some(Value::String(text)) => Uuid::try_parse(text).ok(),
        _ => None,
    };
    let id = id.ok_or_else(|| failed(service, "`transfer` must be the id of one"))?;
    transfers(inner, service)?
        .get(id, &inner.itself, &asker.holder())
        .map_err(|problem| failed(service, &problem))
}

fn file(parameters: &Map) -> Result<String, String> {
    let file = parameters.get(&Value::from("file")).and_then(Value::as_str);
    file.map(str::to_owned).ok_or_else(|| "`file` must be the name of one".into())
}

fn offset(parameters: &Map) -> Result<u64, String> {
    let offset = parameters.get(&Value::from("offset")).and_then(Value::as_i64);
    offset
        .and_then(|offset| u64::try_from(offset).ok())
        .ok_or_else(|| "`offset` must be a number of bytes".into())
}

fn whole(count: u64) -> Value {
    i64::try_from(count).unwrap_or(i64::MAX).into()
}
