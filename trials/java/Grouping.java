package org.apache.tinkerpop.gremlin.process.traversal.step;

import java.util.*;
import org.apache.tinkerpop.gremlin.process.traversal.Step;
import org.apache.tinkerpop.gremlin.process.traversal.Traversal;
import org.apache.tinkerpop.gremlin.process.traversal.dsl.graph.__;
import org.apache.tinkerpop.gremlin.process.traversal.lambda.*;

/**
 * In place of TinkerPop's: the same (but for profile(), which nothing here asks for), and it can be told that a key whose value
 * traversal yields nothing in the end is no entry. In the reference it keeps what the barrier had gathered.
 */
public interface Grouping<S, K, V> {
    /** Whether it is so told. */
    boolean[] MENDED = {false};

    Traversal.Admin<S, K> getKeyTraversal();

    Traversal.Admin<S, V> getValueTraversal();

    void resetBarrierFromValueTraversal();

    default boolean hasBarrierInValueTraversal() { return determineBarrierStep(getValueTraversal()) != null; }

    /** The first barrier of a value traversal: up to it things are gathered, and what follows is for the end. */
    default Barrier determineBarrierStep(final Traversal.Admin<S, V> traversal) {
        for (final Step<?, ?> step : traversal.getSteps())
            if (step instanceof Barrier && !(step instanceof LocalBarrier)) return (Barrier) step;
        return null;
    }

    /** What only projects becomes a list of all. */
    @SuppressWarnings("unchecked")
    default Traversal.Admin<S, V> convertValueTraversal(final Traversal.Admin<S, V> traversal) {
        final boolean projects = traversal instanceof ValueTraversal || traversal instanceof TokenTraversal
            || traversal instanceof IdentityTraversal || traversal instanceof ColumnTraversal;
        return projects ? (Traversal.Admin<S, V>) (Traversal.Admin<?, ?>) __.map(traversal).fold().asAdmin() : traversal;
    }

    @SuppressWarnings({"rawtypes", "unchecked"})
    default Map<K, V> doFinalReduction(final Map<K, Object> map, final Traversal.Admin<S, V> traversal) {
        final Barrier barrier = determineBarrierStep(traversal);
        if (barrier == null) return (Map<K, V>) map;
        for (final K key : new ArrayList<>(map.keySet())) {
            traversal.reset();
            barrier.addBarrier(map.get(key));
            if (traversal.hasNext()) map.put(key, traversal.next());
            else if (MENDED[0]) map.remove(key);
        }
        return (Map<K, V>) map;
    }
}
