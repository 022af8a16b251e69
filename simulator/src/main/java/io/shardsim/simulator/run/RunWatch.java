package io.shardsim.simulator.run;

import io.shardsim.simulator.device.GpuObserver;
import io.shardsim.simulator.kernel.FastForward;
import org.jspecify.annotations.Nullable;

/** Forwards what GPUs report to the timeline of rank 0 and to the run's observer. */
final class RunWatch implements FastForward.SkipObserver {
    private final Timeline timeline;
    private final @Nullable RunObserver observer;

    RunWatch(Timeline timeline, @Nullable RunObserver observer) {
        this.timeline = timeline;
        this.observer = observer;
    }

    /** Returns the observer of a rank's operations; null for none. */
    @Nullable
    GpuObserver gpu(int rank) {
        RunObserver watching = observer;
        if (watching == null) {
            return rank == 0 ? timeline : null;
        }
        return new GpuObserver() {
            @Override
            public void onOperationEnded(int operation, long startPs, long endPs) {
                if (rank == 0) {
                    timeline.onOperationEnded(operation, startPs, endPs);
                }
                watching.onOperationEnded(rank, operation, startPs, endPs);
            }

            @Override
            public void onExposed(int stream, long fromPs, long untilPs) {
                watching.onExposed(rank, stream, fromPs, untilPs);
            }

            @Override
            public void onMarksReached(int[] marks, long nowPs) {
                if (rank == 0) {
                    watching.onMarkReached(nowPs);
                    timeline.onMarksReached(marks, nowPs);
                }
            }

            @Override
            public void onRepetition(int operation) {
                if (rank == 0) {
                    timeline.onRepetition(operation);
                }
            }
        };
    }

    @Override
    public void onPeriodsSkipped(long fromPs, long toPs, int deltaOperations, int times) {
        timeline.onPeriodsSkipped(fromPs, toPs, deltaOperations, times);
        if (observer != null) {
            observer.onPeriodsSkipped(fromPs, toPs, deltaOperations, times);
        }
    }
}
