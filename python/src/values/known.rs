//! Classes of Python that values become. Looked up once: they are not part of the stable C interface.

use pyo3::{prelude::*, sync::PyOnceLock, types::PyType};

macro_rules! known {
    ($($(#[$doc:meta])* $name:ident = $module:literal, $class:literal;)*) => {$(
        $(#[$doc])*
        pub(super) fn $name(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
            static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
            CLASS.import(py, $module, $class)
        }
    )*};
}

known! {
    /// `datetime.datetime`
    date_time = "datetime", "datetime";
    /// `datetime.date`
    date = "datetime", "date";
    /// `datetime.timedelta`
    time_delta = "datetime", "timedelta";
    /// `datetime.timezone`
    time_zone = "datetime", "timezone";
    /// `decimal.Decimal`
    decimal = "decimal", "Decimal";
    /// `uuid.UUID`
    uuid = "uuid", "UUID";
    /// `mangrove.T`
    t = "mangrove._tokens", "T";
    /// `mangrove.Metrics`
    metrics = "mangrove._notebook", "Metrics";
    /// `mangrove.Direction`
    direction = "mangrove._tokens", "Direction";
}
