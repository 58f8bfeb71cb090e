package org.apache.tinkerpop.gremlin.tinkergraph.structure;

import java.lang.reflect.Field;
import java.util.*;
import org.apache.tinkerpop.gremlin.process.traversal.*;
import org.apache.tinkerpop.gremlin.process.traversal.step.*;
import org.apache.tinkerpop.gremlin.process.traversal.step.branch.*;
import org.apache.tinkerpop.gremlin.process.traversal.step.map.MatchStep;
import org.apache.tinkerpop.gremlin.process.traversal.step.map.NoOpBarrierStep;
import org.apache.tinkerpop.gremlin.process.traversal.step.sideEffect.GroupSideEffectStep;
import org.apache.tinkerpop.gremlin.process.traversal.step.util.*;
import org.apache.tinkerpop.gremlin.process.traversal.strategy.AbstractTraversalStrategy;
import org.apache.tinkerpop.gremlin.process.traversal.traverser.*;
import org.apache.tinkerpop.gremlin.process.traversal.traverser.util.TraverserSet;
import org.apache.tinkerpop.gremlin.process.traversal.util.*;

/**
 * The reference without some of its faults, so that an answer can be compared with what it would have been:
 *
 * - a child of local() or optional() is asked for results only when somebody is in it,
 * - match() forgets what the traverser before has left in it, and in a loop that its patterns were found in the iteration before,
 * - and joins by the equality of is(), which takes 20 and 20.0 for one,
 * - group('m') gives its value traversal a traverser of its own, not the one that goes on,
 * - what has left a loop equals what has not been in it,
 * - who asks for a side-effect gets what it holds then, and not what it will hold (and Grouping.java: a key whose value
 *   traversal yields nothing is no entry).
 *
 * Where it is asked for, branches take their traversers one by one although something inside gathers, or all at once although
 * nothing does. And, mended or not: which of the options for any and for none comes first is a hash's affair, so it depends on the order here;
 * and a barrier of HELD traversers holds them up and merges none.
 */
final class Mended extends AbstractTraversalStrategy<TraversalStrategy.FinalizationStrategy>
        implements TraversalStrategy.FinalizationStrategy {
    /** The size of a barrier that merges nothing: no other has it. */
    private static final int HELD = Integer.MAX_VALUE - 1;

    private final long order;
    private final boolean mends;
    private final String branches;

    Mended(long order, boolean mends, String branches) {
        this.order = order;
        this.mends = mends;
        this.branches = branches;
    }

    @Override
    @SuppressWarnings({"rawtypes", "unchecked"})
    public void apply(Traversal.Admin<?, ?> traversal) {
        for (Step<?, ?> step : new ArrayList<>(traversal.getSteps())) {
            if (step instanceof NoOpBarrierStep && ((NoOpBarrierStep<?>) step).getMaxBarrierSize() == HELD)
                TraversalHelper.replaceStep((Step) step, new Held<>(traversal), (Traversal.Admin) traversal);
            if (step instanceof BranchStep) reorder((BranchStep<?, ?, ?>) step);
            if (step instanceof BranchStep && !branches.isEmpty())
                set(BranchStep.class, step, "hasBarrier", branches.equals("AT_ONCE"));
            if (!mends) continue;
            if (step instanceof MatchStep.MatchEndStep)
                TraversalHelper.insertBeforeStep(new Joined(traversal), (Step) step, (Traversal.Admin) traversal);
            if (step instanceof LocalStep || step instanceof OptionalStep) {
                Traversal.Admin<?, ?> child = ((TraversalParent) step).getLocalChildren().get(0);
                child.addStep(0, new Entered(child));
                child.addStep(new Left(child));
            }
            if (step instanceof RepeatStep)
                TraversalHelper.insertAfterStep(new OutOfLoop(traversal), (Step) step, (Traversal.Admin) traversal);
            if (step instanceof GroupSideEffectStep) {
                Traversal.Admin<?, ?> value = ((GroupSideEffectStep<?, ?, ?>) step).getValueTraversal();
                value.addStep(0, new Split(value));
            }
            // One that is an and() or an or() of patterns begins with that around it.
            boolean joins = traversal.getParent() instanceof MatchStep && step == traversal.getStartStep();
            if (step instanceof MatchStep && !joins) TraversalHelper.insertBeforeStep(new Forget(traversal), (Step) step, (Traversal.Admin) traversal);
        }
        if (mends && traversal.isRoot()) {
            Snapshots snapshots = new Snapshots();
            traversal.getSideEffects().mergeInto(snapshots);
            TraversalSideEffects before = traversal.getSideEffects();
            snapshots.setSack(before.getSackInitialValue(), before.getSackSplitter(), before.getSackMerger());
            traversal.setSideEffects(snapshots);
        }
    }

    private void reorder(BranchStep<?, ?, ?> step) {
        Map<Object, Object> options = new LinkedHashMap<>();
        List<Map.Entry<?, ?>> entries = new ArrayList<>(step.getTraversalPickOptions().entrySet());
        entries.sort(Comparator.comparing(entry -> entry.getKey().toString()));
        if (order % 2 == 1) Collections.reverse(entries);
        entries.forEach(entry -> options.put(entry.getKey(), entry.getValue()));
        set(BranchStep.class, step, "traversalPickOptions", options);
    }

    private static Object get(Class<?> of, Object object, String name) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void set(Class<?> of, Object object, String name, Object value) {
        try {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            field.set(object, value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A barrier that keeps apart what comes to it. */
    private static final class Held<S> extends NoOpBarrierStep<S> {
        Held(Traversal.Admin<?, ?> traversal) { super(traversal, HELD, new TraverserSet<>(false)); }

        @Override
        public TraverserSet<S> nextBarrier() {
            TraverserSet<S> held = super.nextBarrier();
            barrier = new TraverserSet<>(false);
            return held;
        }

        @Override
        public Held<S> clone() {
            Held<S> clone = (Held<S>) super.clone();
            clone.barrier = new TraverserSet<>(false);
            return clone;
        }
    }

    /** At the beginning of a child: whether somebody has entered it. */
    private static final class Entered<S> extends AbstractStep<S, S> {
        boolean some = false;

        Entered(Traversal.Admin<?, ?> traversal) { super(traversal); }

        @Override
        protected Traverser.Admin<S> processNextStart() {
            Traverser.Admin<S> traverser = starts.next();
            some = true;
            return traverser;
        }

        @Override
        public void reset() {
            super.reset();
            some = false;
        }
    }

    /** At the end of a child: nothing leaves it before somebody has entered. */
    private static final class Left<S> extends AbstractStep<S, S> {
        Left(Traversal.Admin<?, ?> traversal) { super(traversal); }

        @Override
        protected Traverser.Admin<S> processNextStart() {
            Entered<?> entered = (Entered<?>) (Step<?, ?>) getTraversal().getStartStep();
            if (!entered.some && !entered.hasStarts()) throw FastNoSuchElementException.instance();
            return starts.next();
        }
    }

    /** Lets a traverser of its own pass for each that comes. */
    private static final class Split<S> extends AbstractStep<S, S> {
        Split(Traversal.Admin<?, ?> traversal) { super(traversal); }

        @Override
        protected Traverser.Admin<S> processNextStart() { return starts.next().split(); }
    }

    /** Behind a loop: who comes carries neither the loop's name nor its step's. */
    private static final class OutOfLoop<S> extends AbstractStep<S, S> {
        OutOfLoop(Traversal.Admin<?, ?> traversal) { super(traversal); }

        @Override
        protected Traverser.Admin<S> processNextStart() {
            Traverser.Admin<S> traverser = starts.next();
            if (traverser instanceof NL_SL_Traverser) forget((NL_SL_Traverser<?>) traverser);
            return traverser;
        }

        private static void forget(NL_SL_Traverser<?> traverser) {
            if (traverser.getLoopRequirement() == TraverserRequirement.NESTED_LOOP) {
                traverser.getNestedLoopNames().values().retainAll(traverser.getNestedLoops());
            } else {
                traverser.setSingleLoopStepLabel(null);
                traverser.setSingleLoopName(null);
            }
        }
    }

    /** In front of a match(): when the child begins again, so does it, and who comes again has gone through none of its patterns. */
    private static final class Forget<S> extends AbstractStep<S, S> {
        Forget(Traversal.Admin<?, ?> traversal) { super(traversal); }

        @Override
        protected Traverser.Admin<S> processNextStart() {
            Traverser.Admin<S> traverser = starts.next();
            if (getNextStep() instanceof MatchStep) forget((MatchStep<?, ?>) (Step<?, ?>) getNextStep(), traverser);
            return traverser;
        }

        private static void forget(MatchStep<?, ?> match, Traverser.Admin<?> traverser) {
            for (Traversal.Admin<?, ?> pattern : match.getGlobalChildren()) {
                traverser.getTags().remove(pattern.getStartStep().getId());
                if (pattern.getStartStep() instanceof MatchStep) forget((MatchStep<?, ?>) (Step<?, ?>) pattern.getStartStep(), traverser);
            }
        }

        @Override
        public void reset() {
            super.reset();
            if (getNextStep() instanceof MatchStep) begin((MatchStep<?, ?>) (Step<?, ?>) getNextStep());
        }

        private static void begin(MatchStep<?, ?> match) {
            ((Collection<?>) get(MatchStep.class, match, "standardAlgorithmBarrier")).clear();
            match.getGlobalChildren().forEach(Traversal.Admin::reset);
            for (Traversal.Admin<?, ?> pattern : match.getGlobalChildren())
                if (pattern.getStartStep() instanceof MatchStep) begin((MatchStep<?, ?>) (Step<?, ?>) pattern.getStartStep());
        }
    }

    /** In front of the end of a match()'s pattern: where the traverser is at what the end's name stands for already, in Gremlin's sense, it is at that. */
    private static final class Joined<S> extends AbstractStep<S, S> {
        Joined(Traversal.Admin<?, ?> traversal) { super(traversal); }

        @Override
        @SuppressWarnings("unchecked")
        protected Traverser.Admin<S> processNextStart() {
            Traverser.Admin<S> traverser = starts.next();
            String name = ((MatchStep.MatchEndStep) (Step<?, ?>) getNextStep()).getMatchKey().orElse(null);
            if (name == null || !traverser.path().hasLabel(name)) return traverser;
            S before = traverser.path().get(Pop.last, name);
            return isOne(traverser.get(), before) ? traverser.split(before, this) : traverser;
        }

        private static boolean isOne(Object now, Object before) {
            return now != null && before != null && !now.equals(before) && Compare.eq.test(now, before);
        }
    }

    /** Side-effects of which everybody who asks gets a copy. */
    private static final class Snapshots extends DefaultTraversalSideEffects {
        @Override
        @SuppressWarnings("unchecked")
        public <V> V get(String key) { return (V) copy(super.get(key), true); }

        private static Object copy(Object of, boolean members) {
            if (of instanceof BulkSet) {
                BulkSet<Object> copy = new BulkSet<>();
                ((BulkSet<?>) of).forEach((member, count) -> copy.add(member, count));
                return copy;
            }
            if (of instanceof ArrayList) return new ArrayList<>((List<?>) of);
            // A tree is one as well.
            if (of != null && Map.class.isAssignableFrom(of.getClass()) && of.getClass() != Tree.class && members) {
                Map<Object, Object> copy = new LinkedHashMap<>();
                ((Map<?, ?>) of).forEach((key, value) -> copy.put(key, copy(value, false)));
                return copy;
            }
            return of;
        }
    }
}
