//! The order in which a `java.util.HashMap` goes through its keys: under `SeedStrategy`, groups draw in that order.
//!
//! ```text
//! buckets   a power of two, at least 16, and a third more than there are keys
//! key       bucket = (hash ^ hash >>> 16) & (buckets - 1); of one bucket, as they came
//! ```

use values::{Value, watch};

/// Bytes of a text that are hashed in a tick of the query's watch.
const BYTES_PER_TICK: usize = 32;

/// Keys, each once and in the order in which they came, as the map goes through them. Those whose hash is not a matter of their values
/// come last.
pub(crate) fn in_order<K>(mut keys: Vec<K>, value: impl Fn(&K) -> &Value) -> Vec<K> {
    let buckets = (keys.len() * 4 / 3 + 1).next_power_of_two().max(16) as u32;
    let bucket = |key: &K| match hash(value(key)) {
        Some(hash) => (hash ^ hash >> 16) & (buckets - 1),
        None => u32::MAX,
    };
    keys.sort_by_cached_key(bucket);
    keys
}

/// What `hashCode()` says.
fn hash(value: &Value) -> Option<u32> {
    let of_bits = |bits: u64| (bits ^ bits >> 32) as u32;
    Some(match value {
        Value::Null => 0,
        Value::Bool(value) => {
            if *value {
                1231
            } else {
                1237
            }
        }
        Value::Int(value) => *value as u32,
        Value::Long(value) => of_bits(*value as u64),
        Value::Double(value) => of_bits(value.to_bits()),
        Value::String(text) => {
            watch::ticks(1 + text.len() / BYTES_PER_TICK);
            text.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_order_of_the_buckets() {
        let of = |keys: &[&str]| {
            let keys: Vec<Value> = keys.iter().map(|key| Value::from(*key)).collect();
            in_order(keys, |key| key).iter().map(|key| key.as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of(&["person", "software"]), ["software", "person"]);
        assert_eq!(of(&["writtenBy", "sungBy", "followedBy"]), ["followedBy", "sungBy", "writtenBy"]);
        let numbers: Vec<Value> = [17, 16, 1, 0].map(Value::Int).into();
        let ordered: Vec<_> = in_order(numbers, |key| key).iter().filter_map(Value::as_i64).collect();
        assert_eq!(ordered, [16, 0, 17, 1], "sixteen buckets");
    }
}
