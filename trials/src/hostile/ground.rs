//! The graph that is attacked, and the numbers by which the generators know what a walk over it comes to.
//!
//! ```text
//! ladder   2 vertices a level, both lead to both of the next: 2ⁿ walks over n levels        (ids from 0)
//! ball     each vertex leads to 16 others, and 16 lead to it                                (ids from 1000)
//! hub      leads to all of the ball, and all of the ball leads to it                        (id 5000)
//! points   no edges; what the prober reads                                                  (ids from 9000)
//! ```

use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// Levels of the ladder, as in case 14.
pub(crate) const LEVELS: u64 = 81;
/// Vertices of the ball.
pub(crate) const BALL: u64 = 2_000;
/// Id of the first of them.
pub(crate) const FIRST_OF_BALL: u64 = 1_000;
/// Edges by which each of them leads to others, all different.
pub(crate) const DEGREE: u64 = 16;
/// Id of the hub.
const HUB: u64 = 5_000;
/// Vertices without edges.
pub(crate) const POINTS: u64 = 1_000;
/// Id of the first of them.
pub(crate) const FIRST_POINT: u64 = 9_000;

/// All vertices.
pub(crate) const VERTICES: u64 = 2 * LEVELS + BALL + 1 + POINTS;

/// The name of a point.
pub(crate) fn point_name(id: u64) -> String {
    format!("p{id}")
}

/// Writes the graph into a folder, as CSV files for `mangrove import`.
///
/// # Errors
/// If a file cannot be written.
pub(crate) fn write(folder: &Path) -> io::Result<()> {
    let mut ladder = String::from(":ID{id-type:long},:LABEL,level:int\n");
    for id in 0..2 * LEVELS {
        let _ = writeln!(ladder, "{id},n,{}", id / 2);
    }
    let mut ball = String::from(":ID{id-type:long},:LABEL,name,k:int,text\n");
    for n in 0..BALL {
        let text = "a".repeat(40 + (n % 60) as usize);
        let _ = writeln!(ball, "{},ball,b{n},{},{text}b", FIRST_OF_BALL + n, n % 97);
    }
    let mut others = format!(":ID{{id-type:long}},:LABEL,name\n{HUB},hub,hub\n");
    for id in FIRST_POINT..FIRST_POINT + POINTS {
        let _ = writeln!(others, "{id},point,{}", point_name(id));
    }
    std::fs::write(folder.join("ladder.csv"), ladder)?;
    std::fs::write(folder.join("ball.csv"), ball)?;
    std::fs::write(folder.join("others.csv"), others)?;
    std::fs::write(folder.join("edges.csv"), edges())
}

fn edges() -> String {
    let mut edges = String::from(":START_ID,:END_ID,:TYPE,weight:double\n");
    for from in 0..2 * (LEVELS - 1) {
        let next = (from / 2 + 1) * 2;
        let _ = writeln!(edges, "{from},{next},down,\n{from},{},down,", next + 1);
    }
    for n in 0..BALL {
        let id = FIRST_OF_BALL + n;
        for leap in 0..DEGREE {
            let to = FIRST_OF_BALL + (n + leap_of(leap)) % BALL;
            let _ = writeln!(edges, "{id},{to},e,{}.5", (n * DEGREE + leap) % 101);
        }
        let _ = writeln!(edges, "{HUB},{id},h,1.0\n{id},{HUB},h,2.0");
    }
    edges
}

/// How far an edge of the ball leads.
fn leap_of(n: u64) -> u64 {
    1 + n * (3 * n + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_vertex_of_the_ball_leads_to_as_many_others_as_is_said() {
        let leaps: BTreeSet<u64> = (0..DEGREE).map(|n| leap_of(n) % BALL).collect();
        assert_eq!((leaps.len() as u64, leaps.contains(&0)), (DEGREE, false));
    }

    #[test]
    fn there_are_as_many_vertices_and_edges_as_is_said() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        let rows =
            |file| std::fs::read_to_string(folder.path().join(file)).unwrap().lines().count() as u64 - 1;
        assert_eq!(rows("ladder.csv") + rows("ball.csv") + rows("others.csv"), VERTICES);
        assert_eq!(rows("edges.csv"), 4 * (LEVELS - 1) + BALL * (DEGREE + 2));
    }
}
