//! Statistics as they are stored, beside the checkpoint and in one batch with it.
//!
//! ```text
//! frame ( stamp u64 │ degrees: known u8 │ exact u8
//!       │ count, ( vertex label u16 │ edge label u16 │ direction u8 │ edges and buckets u64… )…
//!       │ count, ( index u32 │ exact u8 │ entries u64 │ vertices u64 │ distinct u64… │ hashes u32… │ their entries u64…
//!               │ count, bound… )… )
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Tick;
use super::degrees::{DegreeHistogram, DegreeTable};
use super::names::{Dir, EdgeLabelId, VertexLabelId};
use super::value_statistics::ValueStatistics;
use crate::bytes::{Input, Malformed, Output, open_frame, seal_frame};

/// By the number of the index.
pub(crate) type ValueTable = BTreeMap<u32, Arc<ValueStatistics>>;

/// The statistics of a graph as of the checkpoint at `stamp`.
pub(crate) fn encode(stamp: Tick, degrees: &DegreeTable, values: &ValueTable) -> Vec<u8> {
    let mut histograms: Vec<_> = degrees.histograms.iter().collect();
    histograms.sort_unstable_by_key(|(key, _)| **key);
    seal_frame(|output| {
        output.u64(stamp);
        output.u8(degrees.is_known.into());
        output.u8(degrees.is_exact.into());
        output.list(histograms, |output, ((vertex, edge, dir), histogram)| {
            output.u16(vertex.0);
            output.u16(edge.0);
            output.u8(*dir as u8);
            output.u64s(histogram.numbers());
        });
        output.list(values, |output, (number, values)| encode_values(*number, values, output));
    })
}

fn encode_values(number: u32, values: &ValueStatistics, output: &mut Output) {
    output.u32(number);
    output.u8(values.is_exact.into());
    output.u64(values.entries);
    output.u64(values.vertices);
    output.u64s(values.distinct.iter().copied());
    output.u32s(values.common.iter().map(|(hash, _)| *hash));
    output.u64s(values.common.iter().map(|(_, entries)| *entries));
    output.list(&values.bounds, |output, bound| output.block(bound));
}

/// The checkpoint's stamp, and what was stored with it.
pub(crate) fn decode(bytes: &[u8]) -> Result<(Tick, DegreeTable, ValueTable), Malformed> {
    let mut input = Input::new(open_frame(bytes)?);
    let stamp = input.u64()?;
    let (is_known, is_exact) = (input.u8()? != 0, input.u8()? != 0);
    let histograms = input.list(5, |input| {
        let (vertex, edge) = (VertexLabelId(input.u16()?), EdgeLabelId(input.u16()?));
        let dir =
            input.one_of([Dir::Out, Dir::In], |dir| dir as u8, "a histogram has an unknown direction")?;
        let histogram = DegreeHistogram::from_numbers(&input.u64s()?);
        let histogram = histogram.ok_or_else(|| Malformed::new("a histogram has too many buckets"))?;
        Ok(((vertex, edge, dir), histogram))
    })?;
    let values = input.list(21, decode_values)?;
    input.end()?;
    Ok((stamp, DegreeTable { is_known, is_exact, histograms }, values))
}

fn decode_values(input: &mut Input<'_>) -> Result<(u32, Arc<ValueStatistics>), Malformed> {
    let (number, is_exact) = (input.u32()?, input.u8()? != 0);
    let (entries, vertices, distinct) = (input.u64()?, input.u64()?, input.u64s()?);
    let (hashes, counts) = (input.u32s()?, input.u64s()?);
    let fit = hashes.len() == counts.len();
    Malformed::unless(fit, "there are not as many common values as numbers of them")?;
    let common = hashes.iter().copied().zip(counts.iter().copied()).collect();
    let bounds = input.list(1, |input| input.block().map(Box::from))?;
    let values = ValueStatistics { entries, distinct, common, bounds, vertices, is_exact };
    Ok((number, Arc::new(values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_come_back_as_they_were_stored() {
        let mut degrees = DegreeTable::default();
        degrees.histogram((VertexLabelId(3), EdgeLabelId(1), Dir::In)).add_vertex(9);
        degrees.miss((VertexLabelId(3), EdgeLabelId(1), Dir::Out), -2);
        let values = ValueStatistics {
            entries: 9,
            distinct: [3, 7].into(),
            common: [(5, 4)].into(),
            bounds: [Box::from(&b"a"[..]), Box::from(&b""[..])].into(),
            vertices: 12,
            is_exact: true,
        };
        let values = ValueTable::from([(4, Arc::new(values))]);
        let encoded = encode(77, &degrees, &values);
        assert_eq!(decode(&encoded).unwrap(), (77, degrees, values));
        for end in 0..encoded.len() {
            assert!(decode(&encoded[..end]).is_err(), "cut at {end}");
        }
    }
}
