package org.apache.tinkerpop.gremlin.util.function;

import java.io.Serializable;
import java.util.*;
import java.util.function.Supplier;

/**
 * In the place of TinkerPop's class of this name, from which group() and groupCount() have their maps. A HashMap is in the
 * order of its keys' hashes, which would look like a promise, so ours is in an order of our choice.
 */
public final class HashMapSupplier<K, V> implements Supplier<Map<K, V>>, Serializable {
    /** The order of maps: 0 is Java's own, anything else a seed of one. */
    public static volatile long order = 0;

    @SuppressWarnings("rawtypes")
    private static final HashMapSupplier INSTANCE = new HashMapSupplier();

    private HashMapSupplier() {}

    @Override
    public HashMap<K, V> get() {
        return order == 0 ? new HashMap<>() : new Shuffled<>(order);
    }

    @SuppressWarnings("unchecked")
    public static <K, V> HashMapSupplier<K, V> instance() {
        return INSTANCE;
    }

    /** A map whose entries, keys and values come in an arbitrary order, the same each time as long as none is added. */
    private static final class Shuffled<K, V> extends LinkedHashMap<K, V> {
        private final long order;

        Shuffled(long order) { this.order = order; }

        private List<Map.Entry<K, V>> shuffled() {
            List<Map.Entry<K, V>> entries = new ArrayList<>(super.entrySet());
            Collections.shuffle(entries, new Random(order));
            return entries;
        }

        @Override
        public Set<Map.Entry<K, V>> entrySet() {
            return new LinkedHashSet<>(shuffled());
        }

        @Override
        public Set<K> keySet() {
            Set<K> keys = new LinkedHashSet<>();
            for (Map.Entry<K, V> entry : shuffled()) keys.add(entry.getKey());
            return keys;
        }

        @Override
        public Collection<V> values() {
            List<V> values = new ArrayList<>();
            for (Map.Entry<K, V> entry : shuffled()) values.add(entry.getValue());
            return values;
        }
    }
}
