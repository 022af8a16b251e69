package io.shardsim.simulator.run;

import io.shardsim.simulator.device.GpuObserver;
import io.shardsim.simulator.kernel.FastForward;
import io.shardsim.simulator.kernel.IslandReplay;
import io.shardsim.simulator.kernel.MarkBoard;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.plan.StepPlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Records the operations of rank 0, skipped repetitions included, up to a number of spans. */
final class Timeline implements GpuObserver, FastForward.SkipObserver, IslandReplay.Spans {
    /** Maximum number of spans, more than a report can show; bounds memory for hundreds of micro-batches. */
    private static final int SPANS_MAX = 60_000;

    private final StepPlan plan;
    private final MarkBoard marks;
    private final List<OperationSpan> spans = new ArrayList<>();

    Timeline(StepPlan plan, MarkBoard marks) {
        this.plan = plan;
        this.marks = marks;
    }

    @Override
    public void onOperationEnded(int operation, long startPs, long endPs) {
        if (spans.size() < SPANS_MAX) {
            add(operation, startPs, endPs);
        }
    }

    private void add(int operation, long startPs, long endPs) {
        spans.add(new OperationSpan(
                operation,
                plan.operation(operation).stream(),
                plan.operation(operation).label(),
                startPs,
                endPs));
    }

    @Override
    public void onMarksReached(int[] reached, long nowPs) {
        marks.post(reached);
    }

    @Override
    public void onRepetition(int operation) {
        marks.postRepetition(operation);
    }

    @Override
    public void onPeriodsSkipped(long fromPs, long toPs, int deltaOperations, int times) {
        int last = spans.size();
        int first = last;
        while (first > 0 && spans.get(first - 1).endPs() > fromPs) {
            first--;
        }
        for (int time = 1; time <= times && spans.size() < SPANS_MAX; time++) {
            for (int i = first; i < last; i++) {
                OperationSpan span = spans.get(i);
                long deltaPs = (toPs - fromPs) * time;
                add(span.operation() + deltaOperations * time, span.startPs() + deltaPs, span.endPs() + deltaPs);
            }
        }
    }

    @Override
    public int size() {
        return spans.size();
    }

    @Override
    public void repeat(int from, int to, long deltaPs, int deltaOperations) {
        for (int i = from; i < to; i++) {
            OperationSpan span = spans.get(i);
            onOperationEnded(span.operation() + deltaOperations, span.startPs() + deltaPs, span.endPs() + deltaPs);
        }
    }

    @Override
    public void keep(int size) {
        spans.subList(size, spans.size()).clear();
    }

    List<OperationSpan> spans() {
        List<OperationSpan> ordered = new ArrayList<>(spans);
        ordered.sort(Comparator.comparingLong(OperationSpan::startPs).thenComparingInt(OperationSpan::operation));
        return ordered;
    }
}
