package org.apache.tinkerpop.gremlin.process.traversal.traverser.util;

import java.io.Serializable;
import java.util.*;
import org.apache.tinkerpop.gremlin.process.traversal.Traverser;
import org.apache.tinkerpop.gremlin.process.traversal.step.map.NoOpBarrierStep;
import org.apache.tinkerpop.gremlin.process.traversal.util.FastNoSuchElementException;
import org.apache.tinkerpop.gremlin.util.function.TraverserSetSupplier;

/**
 * In place of TinkerPop's: the same, and it can be told to merge equal traversers nowhere, or only where barrier() asks for it.
 * In the reference, nearly every step has such a set in front of it.
 */
public class TraverserSet<S> extends AbstractSet<Traverser.Admin<S>>
        implements Set<Traverser.Admin<S>>, Queue<Traverser.Admin<S>>, Serializable {

    /** Where traversers are merged. */
    public enum Merging { EVERYWHERE, WHERE_ASKED, NOWHERE }

    public static Merging merging = Merging.EVERYWHERE;

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private final boolean merges;
    private final Map<Object, Traverser.Admin<S>> map = new LinkedHashMap<>();

    public TraverserSet() {
        merges = merging == Merging.EVERYWHERE || merging == Merging.WHERE_ASKED && isOfBarrier();
    }

    /** One that merges always or never, whatever it is told. */
    public TraverserSet(final boolean merges) { this.merges = merges; }

    public TraverserSet(final Traverser.Admin<S> traverser) {
        this();
        if (traverser != null) add(traverser);
    }

    private static boolean isOfBarrier() {
        return CALLERS.walk(frames -> frames.map(StackWalker.StackFrame::getDeclaringClass)
            .filter(of -> of != TraverserSet.class && of != TraverserSetSupplier.class).findFirst())
            .filter(of -> of == NoOpBarrierStep.class).isPresent();
    }

    private Object keyOf(final Object traverser) {
        if (merges) return traverser;
        for (Map.Entry<Object, Traverser.Admin<S>> entry : map.entrySet())
            if (entry.getValue().equals(traverser)) return entry.getKey();
        return null;
    }

    @Override
    public Iterator<Traverser.Admin<S>> iterator() { return map.values().iterator(); }

    public Traverser.Admin<S> get(final Traverser.Admin<S> traverser) { return map.get(keyOf(traverser)); }

    @Override
    public int size() { return map.size(); }

    public long bulkSize() {
        long bulk = 0;
        for (final Traverser.Admin<S> traverser : map.values()) bulk += traverser.bulk();
        return bulk;
    }

    @Override
    public boolean isEmpty() { return map.isEmpty(); }

    @Override
    public boolean contains(final Object traverser) { return map.containsKey(keyOf(traverser)); }

    @Override
    public boolean add(final Traverser.Admin<S> traverser) {
        final Traverser.Admin<S> existing = merges ? map.get(traverser) : null;
        if (existing != null) {
            existing.merge(traverser);
            return false;
        }
        put(traverser);
        return true;
    }

    private void put(final Traverser.Admin<S> traverser) { map.put(merges ? traverser : new Object(), traverser); }

    @Override
    public boolean offer(final Traverser.Admin<S> traverser) { return add(traverser); }

    @Override
    public Traverser.Admin<S> remove() {
        final Iterator<Traverser.Admin<S>> all = map.values().iterator();
        if (!all.hasNext()) throw FastNoSuchElementException.instance();
        final Traverser.Admin<S> next = all.next();
        all.remove();
        return next;
    }

    @Override
    public Traverser.Admin<S> poll() { return map.isEmpty() ? null : remove(); }

    @Override
    public Traverser.Admin<S> element() { return iterator().next(); }

    @Override
    public Traverser.Admin<S> peek() { return map.isEmpty() ? null : iterator().next(); }

    @Override
    public boolean remove(final Object traverser) { return map.remove(keyOf(traverser)) != null; }

    @Override
    public void clear() { map.clear(); }

    @Override
    public String toString() { return map.values().toString(); }

    public void sort(final Comparator<Traverser<S>> comparator) {
        final List<Traverser.Admin<S>> list = new ArrayList<>(map.values());
        list.sort(comparator);
        map.clear();
        list.forEach(this::put);
    }

    public void shuffle(final Random random) {
        final List<Traverser.Admin<S>> list = new ArrayList<>(map.values());
        Collections.shuffle(list, random);
        map.clear();
        list.forEach(this::put);
    }
}
