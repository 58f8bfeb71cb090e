//! The histories of the traversers of a batch, by columns.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;
use values::{Path, Seeded, Str, Value, watch};

use super::Column;

/// The paths of the rows of a batch. What a batch of traversers has visited at one step is one column, a *segment*, and
/// a path is a chain of rows, one in each segment. So a step costs a few bytes per traverser, shares the objects with
/// the batch that visited them, and is freed a batch at a time:
///
/// ```text
/// segment 0          segment 1                    segment 2 (the newest)
/// row  object        row  object  previous        row  object  previous
///  0   v[1]  ◄────────┬ 0  v[3]    (0, 0)  ◄──────── 0  v[5]    (1, 0)
///  1   v[2]           └ 1  v[4]    (0, 0)  ◄─────┬── 1  v[6]    (1, 1)
///                                                └── 2  v[7]    (1, 1)
/// ```
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The segments that paths of this batch end in; nearly always one.
    segments: Vec<Arc<Segment>>,
    /// Where the path of each row ends.
    ends: Vec<End>,
}

/// The last object of a path: which of the segments, and which row of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    segment: u32,
    row: u32,
}

impl End {
    /// The end of a path without objects.
    const EMPTY: Self = Self { segment: u32::MAX, row: 0 };
}

/// What a batch of traversers visited at one step.
#[derive(Debug)]
struct Segment {
    /// Never used twice, unlike an address.
    id: u64,
    len: usize,
    objects: Arc<Column>,
    /// The `as` labels that the objects were given.
    labels: Vec<Str>,
    /// The rest of the paths, row by row; `None` where there is none.
    previous: Option<Arc<Paths>>,
    /// Bytes of the objects.
    bytes: usize,
    /// Bytes of the segments before, along the longest way.
    bytes_before: usize,
}

/// Objects of a path that are passed in a tick of the query's watch: each may be far from the others in memory.
const PER_TICK: usize = 4;

/// A gather that leaves at most this part of a segment's rows copies them, so that few do not hold on to many.
const SPARSE: usize = 4;

/// Bytes of a segment besides its objects: itself, the paths before it, its column, each with its counts.
const SEGMENT: usize =
    size_of::<Segment>() + size_of::<Paths>() + size_of::<Column>() + size_of::<Arc<Segment>>() + 48;

static NEXT_SEGMENT: AtomicU64 = AtomicU64::new(0);

impl Segment {
    fn new(objects: Arc<Column>, labels: Vec<Str>, len: usize, previous: Option<Arc<Paths>>) -> Arc<Self> {
        let bytes = objects.bytes(len);
        let bytes_before =
            previous.as_ref().map_or(0, |paths| paths.bytes() - paths.segments.len() * SEGMENT);
        let id = NEXT_SEGMENT.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self { id, len, objects, labels, previous, bytes, bytes_before })
    }
}

impl Drop for Segment {
    /// Unlinks the chain step by step: dropping paths of a million objects must not recurse.
    fn drop(&mut self) {
        let mut rest: Vec<Arc<Paths>> = self.previous.take().into_iter().collect();
        while let Some(paths) = rest.pop() {
            let Some(paths) = Arc::into_inner(paths) else { continue };
            let freed = paths.segments.into_iter().filter_map(Arc::into_inner);
            rest.extend(freed.filter_map(|mut segment| segment.previous.take()));
        }
    }
}

impl Paths {
    /// Paths without objects.
    pub fn empty(rows: usize) -> Self {
        Self { segments: Vec::new(), ends: vec![End::EMPTY; rows] }
    }

    /// Whether no path has an object.
    pub fn is_empty(&self) -> bool {
        self.ends.iter().all(|end| *end == End::EMPTY)
    }

    /// The paths extended by one object each, with these labels.
    pub fn extend(self: &Arc<Self>, objects: Arc<Column>, labels: &[Str]) -> Self {
        let previous = (!self.is_empty()).then(|| self.clone());
        Self::over(Segment::new(objects, labels.to_vec(), self.ends.len(), previous))
    }

    /// The same paths with further labels on their last objects; unchanged where there is none.
    pub fn relabel(&self, labels: &[Str]) -> Self {
        let relabelled = |segment: &Arc<Segment>| {
            let mut all = segment.labels.clone();
            all.extend(labels.iter().filter(|label| !segment.labels.contains(label)).cloned());
            Segment::new(segment.objects.clone(), all, segment.len, segment.previous.clone())
        };
        Self { segments: self.segments.iter().map(relabelled).collect(), ends: self.ends.clone() }
    }

    /// The paths of the rows named by `rows`, in that order.
    pub fn gather(&self, rows: &[u32]) -> Self {
        let mut gathered = self.pick(rows);
        if let Some((segment, rows)) = gathered.sparse() {
            gathered = copied(segment, rows);
        }
        gathered
    }

    /// The path of one row, `n` times.
    pub fn repeat(&self, row: usize, n: usize) -> Self {
        Self { segments: self.segments.clone(), ends: vec![self.ends[row]; n] }
    }

    /// The paths of rows of several batches, one after another.
    pub fn collect<'p>(rows: impl Iterator<Item = Option<(&'p Self, usize)>>) -> Self {
        let (mut collected, mut numbers) = (Self::default(), FxHashMap::default());
        for row in rows {
            let last = row.and_then(|(paths, row)| {
                let end = paths.ends[row];
                Some((paths.segments.get(end.segment as usize)?, end.row))
            });
            let end = last.map_or(End::EMPTY, |(segment, row)| {
                let segment = *numbers.entry(segment.id).or_insert_with(|| {
                    collected.segments.push(segment.clone());
                    collected.segments.len() as u32 - 1
                });
                End { segment, row }
            });
            collected.ends.push(end);
        }
        collected
    }

    /// These paths and then those of another batch.
    pub fn append(&self, other: &Self) -> Self {
        let all = |paths: &'_ Self| 0..paths.ends.len();
        Self::collect(all(self).map(|row| Some((self, row))).chain(all(other).map(|row| Some((other, row)))))
    }

    /// The visited objects of a row's path, last to first.
    pub fn backwards(&self, row: usize) -> impl Iterator<Item = Visited<'_>> + Clone {
        std::iter::successors(self.last(row), Visited::before)
    }

    /// The same, with a tick of the query's watch for every few of them: there may be hundreds of thousands.
    pub fn looked_through(&self, row: usize) -> impl Iterator<Item = Visited<'_>> + Clone {
        self.backwards(row).enumerate().map(|(number, visited)| {
            if number % PER_TICK == PER_TICK - 1 {
                watch::tick();
            }
            visited
        })
    }

    /// What tells a row's path from all others that are not the same: two rows with the same mark have one history.
    pub fn mark(&self, row: usize) -> (u64, u64) {
        self.last(row).map_or((u64::MAX, 0), |last| (last.segment.id, last.row as u64))
    }

    /// What tells a row's path from all others that are not equal; with `named`, from those in which other objects have names. These
    /// are two hashes with the seed of the process, so that nobody can make two paths that are taken for one.
    pub fn digest(&self, row: usize, named: bool) -> (u64, u64) {
        let mut hashers = [0_u8, 1].map(|number| {
            let mut hasher = Seeded::default().build_hasher();
            number.hash(&mut hasher);
            hasher
        });
        for visited in self.looked_through(row).filter(|visited| !named || !visited.labels().is_empty()) {
            let mut labels: Vec<&Str> = visited.labels().iter().collect();
            labels.sort_unstable();
            let object = visited.object();
            hashers.iter_mut().for_each(|hasher| (&labels, &object).hash(hasher));
        }
        hashers.map(|hasher| hasher.finish()).into()
    }

    /// A row's path as users see it, first object first.
    pub fn to_path(&self, row: usize) -> Path {
        let (mut labels, mut objects): (Vec<_>, Vec<_>) =
            self.looked_through(row).map(|visited| (visited.labels().to_vec(), visited.object())).unzip();
        labels.reverse();
        objects.reverse();
        Path { labels, objects }
    }

    /// Bytes that are held for these paths, roughly: other batches may hold some of them too, so that of segments before only the
    /// objects are counted, and of what lies before several segments, which is mostly the same, only the most.
    pub fn bytes(&self) -> usize {
        let segments = self.segments.iter().map(|segment| SEGMENT + segment.bytes).sum::<usize>();
        let own = size_of_val(&self.ends[..]) + segments;
        let before = self.segments.iter().map(|segment| segment.bytes_before).max().unwrap_or(0);
        own.saturating_add(before)
    }

    /// Whether these objects are those that the paths end in, not copies of them.
    pub(super) fn ends_in(&self, objects: &Arc<Column>) -> bool {
        matches!(&self.segments[..], [segment] if Arc::ptr_eq(&segment.objects, objects))
    }

    /// Paths that end in the rows of a segment, one after another.
    fn over(segment: Arc<Segment>) -> Self {
        let ends = (0..segment.len as u32).map(|row| End { segment: 0, row }).collect();
        Self { segments: vec![segment], ends }
    }

    fn last(&self, row: usize) -> Option<Visited<'_>> {
        let end = self.ends[row];
        let segment = self.segments.get(end.segment as usize)?;
        Some(Visited { segment, row: end.row as usize })
    }

    /// As [`Paths::gather`], with the segments as they are, but for those that no row needs any more.
    fn pick(&self, rows: &[u32]) -> Self {
        if self.segments.len() > 1 {
            return Self::collect(rows.iter().map(|row| Some((self, *row as usize))));
        }
        let ends = rows.iter().map(|row| self.ends[*row as usize]).collect();
        Self { segments: self.segments.clone(), ends }
    }

    /// The segment and its rows, if there are few rows of one large segment.
    fn sparse(&self) -> Option<(Arc<Segment>, Vec<u32>)> {
        let [segment] = &self.segments[..] else { return None };
        let copies = self.ends.len() * SPARSE <= segment.len && !self.ends.contains(&End::EMPTY);
        copies.then(|| (segment.clone(), self.ends.iter().map(|end| end.row).collect()))
    }
}

/// Paths that end in these rows of a segment, with copies of the rows in it and in the segments before it that they
/// need few rows of.
fn copied(segment: Arc<Segment>, rows: Vec<u32>) -> Paths {
    let mut newest_first = Vec::new();
    let mut next = Some((segment, rows));
    let mut oldest = None;
    while let Some((segment, rows)) = next.take() {
        newest_first.push((Arc::new(segment.objects.gather(&rows)), segment.labels.clone(), rows.len()));
        if let Some(previous) = &segment.previous {
            let previous = previous.pick(&rows);
            next = previous.sparse();
            oldest = next.is_none().then(|| Arc::new(previous));
        }
    }
    let mut paths = oldest;
    for (objects, labels, len) in newest_first.into_iter().rev() {
        paths = Some(Arc::new(Paths::over(Segment::new(objects, labels, len, paths))));
    }
    paths.and_then(Arc::into_inner).unwrap_or_default()
}

/// One object of a path.
#[derive(Clone, Copy, Debug)]
pub struct Visited<'p> {
    segment: &'p Segment,
    row: usize,
}

impl<'p> Visited<'p> {
    /// The object.
    pub fn object(&self) -> Value {
        self.segment.objects.value(self.row)
    }

    /// The `as` labels it was given.
    pub fn labels(&self) -> &'p [Str] {
        &self.segment.labels
    }

    /// Whether this is the same object as another.
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        match (&*self.segment.objects, &*other.segment.objects) {
            (Column::Vertices(a), Column::Vertices(b)) => a[self.row] == b[other.row],
            (a, b) => a.value(self.row) == b.value(other.row),
        }
    }

    /// The object before it.
    #[inline]
    pub fn before(&self) -> Option<Self> {
        self.segment.previous.as_ref()?.last(self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longs(values: &[i64]) -> Arc<Column> {
        Arc::new(Column::Longs(values.to_vec()))
    }

    fn start(values: &[i64]) -> Arc<Paths> {
        Arc::new(Arc::new(Paths::empty(values.len())).extend(longs(values), &[]))
    }

    fn objects(paths: &Paths, row: usize) -> Vec<i64> {
        let long = |value: Value| if let Value::Long(long) = value { long } else { panic!("{value:?}") };
        paths.to_path(row).objects.into_iter().map(long).collect()
    }

    #[test]
    fn a_path_is_a_chain_through_the_segments() {
        let two = start(&[1, 2]);
        let fanned = Arc::new(two.gather(&[0, 0, 1]));
        let three = fanned.extend(longs(&[10, 11, 20]), &["a".into()]);
        assert_eq!(objects(&three, 0), [1, 10]);
        assert_eq!(objects(&three, 1), [1, 11]);
        assert_eq!(objects(&three, 2), [2, 20]);
        assert_eq!(three.to_path(2).labels, [vec![], vec![Str::from("a")]]);
        assert_eq!(three.relabel(&["a".into(), "b".into()]).to_path(0).labels[1], ["a", "b"]);
    }

    #[test]
    fn rows_of_different_batches_stand_side_by_side() {
        let both = start(&[1, 2]).append(&Paths::empty(1)).append(&start(&[3]));
        assert_eq!(objects(&both, 1), [2]);
        assert!(objects(&both, 2).is_empty());
        assert_eq!(objects(&both, 3), [3]);
        let picked = both.gather(&[3, 0]);
        assert_eq!((objects(&picked, 0), objects(&picked, 1)), (vec![3], vec![1]));
        assert_eq!(both.gather(&[2, 2]).segments.len(), 0);
    }

    #[test]
    fn few_rows_do_not_hold_on_to_many() {
        let many: Vec<i64> = (0..1_000).collect();
        let deep = Arc::new(start(&many).extend(longs(&many), &[]));
        let few = deep.gather(&[7, 9]);
        assert_eq!(objects(&few, 1), [9, 9]);
        assert!(few.bytes() < 2 * SEGMENT + 200, "{}", few.bytes());
        assert!(deep.bytes() > 16_000, "{}", deep.bytes());
    }

    #[test]
    fn bytes_do_not_multiply_where_ways_part_and_meet() {
        let mut paths = start(&[1, 2, 3, 4]);
        for _ in 0..100 {
            let halves = [paths.gather(&[0, 1]), paths.gather(&[2, 3])];
            let [a, b] = halves.map(|half| Arc::new(half).extend(longs(&[5, 6]), &[]));
            paths = Arc::new(a.append(&b));
        }
        assert_eq!(paths.segments.len(), 2);
        assert!(paths.bytes() < 100_000, "{}", paths.bytes());
    }

    #[test]
    fn a_mark_tells_histories_apart() {
        let two = start(&[5, 5]);
        let again = two.gather(&[1, 1]);
        assert_eq!(again.mark(0), again.mark(1));
        assert_ne!(two.mark(0), two.mark(1));
        assert_ne!(two.mark(0), start(&[5, 5]).mark(0));
    }

    #[test]
    fn a_digest_tells_paths_apart_that_are_not_equal() {
        let two = start(&[5, 6]);
        let [five, six] = [0, 1].map(|row| two.digest(row, false));
        assert_ne!(five, six);
        assert_eq!(two.gather(&[1, 1]).digest(0, false), six);
        assert_eq!(start(&[5]).digest(0, false), five, "it need not be the same one");
        let (longer, named) = (two.extend(longs(&[5, 5]), &[]), two.extend(longs(&[5, 5]), &["a".into()]));
        assert_ne!(longer.digest(0, false), five);
        assert_ne!(longer.digest(0, false), longer.digest(1, false));
        assert_ne!(longer.digest(0, false), named.digest(0, false), "names count");
        // Of those with a name alone.
        assert_eq!(named.digest(0, true), named.digest(1, true));
        assert_ne!(named.digest(0, true), longer.digest(0, true));
        assert_eq!(longer.digest(0, true), two.digest(1, true), "there is none");
        let renamed = two.extend(longs(&[5, 5]), &["b".into()]);
        assert_ne!(renamed.digest(0, true), named.digest(0, true));
        let [ab, ba] =
            [["a", "b"], ["b", "a"]].map(|names| two.extend(longs(&[5, 5]), &names.map(Str::from)));
        assert_eq!(ab.digest(0, true), ba.digest(0, true), "in whatever order");
    }

    #[test]
    fn paths_of_a_million_objects_are_copied_and_dropped_without_recursion() {
        let mut paths = start(&[0; 8]);
        for i in 0..300_000 {
            paths = Arc::new(paths.extend(longs(&[i; 8]), &[]));
        }
        let few = paths.gather(&[3]);
        drop(paths);
        assert_eq!(few.backwards(0).count(), 300_001);
    }
}
