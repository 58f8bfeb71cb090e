//! Reading the types that no query sees.

use std::net::IpAddr;

use values::{DateTime, Edge, Property, Str, Value, Vertex, VertexProperty};

use super::codes;
use super::reader::{Read, Reader};
use crate::error::Problem;
use crate::wire_value::{Extended, Graph, InetAddress, Metrics, Tree};
use crate::{Temporal, WireValue};

impl Reader<'_> {
    /// The value of that type; `None` if the type is another.
    pub(super) fn extended(&mut self, code: u8) -> Read<Option<WireValue>> {
        let extended = match code {
            codes::CLASS => Extended::Class(self.text()?.into()),
            codes::INET_ADDRESS => Extended::InetAddress(self.inet_address()?),
            codes::TRAVERSER => return self.traverser().map(Some),
            codes::BULK_SET => return self.bulk_set().map(Some),
            codes::TREE => Extended::Tree(self.tree()?),
            codes::METRICS => return self.step().map(Some),
            codes::TRAVERSAL_METRICS => {
                Extended::TraversalMetrics { duration: self.i64()?, steps: self.metrics_list()? }
            }
            codes::GRAPH => return self.graph().map(Some),
            _ => return Ok(None),
        };
        Ok(Some(extended.into()))
    }

    fn traverser(&mut self) -> Read<WireValue> {
        Ok(Extended::Traverser { bulk: self.i64()?, value: self.any()? }.into())
    }

    /// Items without code and flag, each with its bulk.
    pub(super) fn bulk_set(&mut self) -> Read<WireValue> {
        let count = self.count(10)?;
        Ok(Extended::BulkSet(self.repeat(count, |r| Ok((r.any()?, r.i64()?)))?).into())
    }

    fn step(&mut self) -> Read<WireValue> {
        Ok(Extended::Metrics(self.metrics()?).into())
    }

    /// The date or time of that type; `None` if the type is another.
    pub(super) fn temporal(&mut self, code: u8) -> Read<Option<Temporal>> {
        Ok(Some(match code {
            codes::DATE => Temporal::Date(self.i64()?),
            codes::TIMESTAMP => Temporal::Timestamp(self.i64()?),
            codes::INSTANT => Temporal::Instant(self.instant()?),
            codes::LOCAL_DATE => Temporal::LocalDate(self.local_date()?),
            codes::LOCAL_DATE_TIME => Temporal::LocalDateTime(self.local_date_time()?),
            codes::LOCAL_TIME => Temporal::LocalTime(self.local_time()?),
            codes::MONTH_DAY => Temporal::MonthDay { month: self.within(1..=12)?, day: self.within(1..=31)? },
            codes::OFFSET_TIME => {
                Temporal::OffsetTime { time: self.local_time()?, offset: self.zone_offset()? }
            }
            codes::PERIOD => Temporal::Period { years: self.i32()?, months: self.i32()?, days: self.i32()? },
            codes::YEAR => Temporal::Year(self.i32()?),
            codes::YEAR_MONTH => Temporal::YearMonth { year: self.i32()?, month: self.within(1..=12)? },
            codes::ZONED_DATE_TIME => Temporal::ZonedDateTime { at: self.offset_date_time()?, zone: None },
            codes::ZONE_OFFSET => Temporal::ZoneOffset(self.zone_offset()?),
            _ => return Ok(None),
        }))
    }

    /// `{seconds}{nanos}`, within the years that dates can be written with.
    fn instant(&mut self) -> Read<DateTime> {
        let at = self.at();
        let instant = DateTime::new(self.i64()?, self.nanos()?, 0);
        let ((year, ..), _) = instant.civil();
        match DateTime::from_civil((year, 1, 1), (0, 0, 0, 0), 0) {
            Ok(_) => Ok(instant),
            Err(error) => Err(Problem::Invalid(error.to_string()).at(at)),
        }
    }

    fn within(&mut self, range: std::ops::RangeInclusive<u8>) -> Read<u8> {
        let at = self.at();
        let byte = self.u8()?;
        if range.contains(&byte) {
            Ok(byte)
        } else {
            Err(Problem::expected("a month or day", byte.to_string()).at(at))
        }
    }

    fn inet_address(&mut self) -> Read<InetAddress> {
        let at = self.at();
        let bytes = self.bytes()?;
        let address = if let Ok(v4) = <[u8; 4]>::try_from(bytes) {
            IpAddr::from(v4)
        } else if let Ok(v6) = <[u8; 16]>::try_from(bytes) {
            IpAddr::from(v6)
        } else {
            return Err(Problem::expected("4 or 16 bytes of an address", bytes.len().to_string()).at(at));
        };
        Ok(InetAddress::Address(address))
    }

    /// `{length}` times `{key}{tree}`
    fn tree(&mut self) -> Read<Tree> {
        let count = self.count(6)?;
        self.repeat(count, |r| Ok((r.any()?, r.nested(Self::tree)?))).map(Tree)
    }

    /// `{id}{name}{duration}{counts}{annotations}{nested}`
    fn metrics(&mut self) -> Read<Metrics> {
        let (id, name, duration) = (self.text()?.into(), self.text()?.into(), self.i64()?);
        let count = self.count(4)?;
        let counts = self.repeat(count, |r| {
            let (key, at) = (r.key()?, r.at());
            let number = r.value()?;
            let number =
                number.as_i64().ok_or_else(|| Problem::expected("a count", number.type_name()).at(at))?;
            Ok((key, number))
        })?;
        let count = self.count(4)?;
        let annotations = self.repeat(count, |r| Ok((r.key()?, r.any()?)))?;
        Ok(Metrics { id, name, duration, counts, annotations, nested: self.metrics_list()? })
    }

    fn metrics_list(&mut self) -> Read<Vec<Metrics>> {
        let count = self.count(2)?;
        self.repeat(count, |r| {
            let at = r.at();
            match r.u8()? {
                codes::METRICS if r.present()? => r.nested(Self::metrics),
                code => Err(Problem::expected("a step's profile", format!("type code 0x{code:02x}")).at(at)),
            }
        })
    }

    /// A fully qualified string.
    fn key(&mut self) -> Read<Str> {
        let at = self.at();
        match self.value()? {
            Value::String(key) => Ok(key),
            other => Err(Problem::expected("a name", other.type_name()).at(at)),
        }
    }

    /// `{length}{vertex}…{length}{edge}…`
    fn graph(&mut self) -> Read<WireValue> {
        let count = self.count(10)?;
        let vertices = self.repeat(count, Self::graph_vertex)?;
        let count = self.count(18)?;
        let mut edges = self.repeat(count, Self::graph_edge)?;
        // The labels of an edge's ends are not encoded; the vertices have them.
        let labels: std::collections::HashMap<&Value, &Str> =
            vertices.iter().map(|v| (&v.id, &v.label)).collect();
        for end in edges.iter_mut().flat_map(|edge| [&mut edge.out_v, &mut edge.in_v]) {
            if let Some(label) = labels.get(&end.id) {
                end.label = (*label).clone();
            }
        }
        Ok(Extended::Graph(Graph { vertices, edges }).into())
    }

    /// `{id}{label}{length}` and as many `{id}{label}{value}{null}{properties}`
    fn graph_vertex(&mut self) -> Read<Vertex> {
        let (id, label) = (self.value()?, self.label()?);
        let count = self.count(14)?;
        let properties = self.repeat(count, |r| {
            let (id, key, value) = (r.value()?, r.label()?, r.value()?);
            r.any()?;
            Ok(VertexProperty { id, key, value, properties: r.bare_properties()?, vertex: None, owner: None })
        })?;
        Ok(Vertex { id, label, properties })
    }

    /// `{id}{label}{inVId}{null}{outVId}{null}{null}{properties}`
    fn graph_edge(&mut self) -> Read<Edge> {
        let (id, label) = (self.value()?, self.label()?);
        let in_v = self.graph_edge_end()?;
        let out_v = self.graph_edge_end()?;
        self.any()?;
        Ok(Edge { id, label, out_v, in_v, properties: self.bare_properties()? })
    }

    fn graph_edge_end(&mut self) -> Read<Vertex> {
        let id = self.value()?;
        self.any()?;
        Ok(Vertex::reference(id, ""))
    }

    /// A list of properties without code and flag.
    fn bare_properties(&mut self) -> Read<Vec<Property>> {
        let at = self.at();
        let items = self.items()?.into_iter().map(|item| item.into_value()).collect::<Result<Vec<_>, _>>();
        items.and_then(|items| crate::graph_parts::properties(items.into())).map_err(|problem| problem.at(at))
    }
}
