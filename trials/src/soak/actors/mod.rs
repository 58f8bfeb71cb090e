//! Who does what to the server, one file each.

pub(crate) mod analytics;
pub(crate) mod backups;
pub(crate) mod bulk;
pub(crate) mod cancelled;
pub(crate) mod hostile;
pub(crate) mod imports;
pub(crate) mod operator;
pub(crate) mod points;
pub(crate) mod sessions;
pub(crate) mod transactions;
pub(crate) mod writers;
