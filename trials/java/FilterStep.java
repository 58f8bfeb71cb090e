package org.apache.tinkerpop.gremlin.process.traversal.step.filter;

import org.apache.tinkerpop.gremlin.process.traversal.Traversal;
import org.apache.tinkerpop.gremlin.process.traversal.Traverser;
import org.apache.tinkerpop.gremlin.process.traversal.step.util.AbstractStep;
import org.apache.tinkerpop.gremlin.process.traversal.util.FastNoSuchElementException;
import org.apache.tinkerpop.gremlin.process.traversal.util.TraversalHelper;

/**
 * In place of TinkerPop's: the same, and it can be told that a limit() which has let enough pass asks for no more. The
 * reference's limit() asks for one traverser more before it looks whether it has enough, so what that one writes is written,
 * and what it fails at ends the traversal.
 */
public abstract class FilterStep<S> extends AbstractStep<S, S> {
    /** Whether a limit() that has enough asks for no more. */
    public static boolean exact = false;

    /** Traversers that have passed. */
    private long passed = 0;

    public FilterStep(final Traversal.Admin traversal) {
        super(traversal);
    }

    @Override
    protected Traverser.Admin<S> processNextStart() {
        while (true) {
            if (exact && hasEnough()) throw FastNoSuchElementException.instance();
            final Traverser.Admin<S> traverser = this.starts.next();
            if (this.filter(traverser)) {
                passed += traverser.bulk();
                return traverser;
            }
        }
    }

    private boolean hasEnough() {
        if (!(this instanceof RangeGlobalStep)) return false;
        final RangeGlobalStep<S> range = (RangeGlobalStep<S>) this;
        final long high = range.getHighRange(), low = Math.max(0, range.getLowRange());
        // In a loop each iteration has a count of its own.
        return high != -1 && passed >= high - low && !TraversalHelper.hasRepeatStepParent(this.getTraversal());
    }

    protected abstract boolean filter(final Traverser.Admin<S> traverser);

    @Override
    public void reset() {
        super.reset();
        passed = 0;
    }

    @Override
    public FilterStep<S> clone() {
        final FilterStep<S> clone = (FilterStep<S>) super.clone();
        clone.passed = 0;
        return clone;
    }
}
