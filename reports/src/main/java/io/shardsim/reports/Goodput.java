package io.shardsim.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToDoubleFunction;

/**
 * Goodput of a training with failures: the share of time spent on steps that count, days and dollars at that share, and the best interval between
 * checkpoints.
 *
 * <p>Failures are independent and exponentially distributed; each stops all nodes and loses all work since the last checkpoint. The expected time for
 * a stretch of work t, a pause d for its checkpoint and a recovery R, with a mean time M between failures of the cluster, is
 * {@code M e^(R/M) (e^((t+d)/M) - 1)} [1]. This includes failures during a recovery or a checkpoint. An asynchronous checkpoint protects only once it
 * is written; a failure before that also loses the writing time, which counts as recovery here.
 *
 * <p>Ignores correlated failures, missing spare nodes, and undetected slow nodes.
 *
 * <p>[1] Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, Future Generation Computer Systems 22 (2006), equation
 * 20.
 *
 * @param clusterMtbfSeconds mean time between failures of any node [s]
 * @param recoverySeconds time from a failure until steps count again, excluding lost work [s]
 * @param share share of time spent on steps that count, 0 to 1
 * @param cost cost of the requested training, with failures
 * @param bestEverySteps best number of training steps between checkpoints
 * @param bestShare share of time at that interval, 0 to 1
 * @param bestCost cost of the requested training at that interval
 * @param curve shares around the best interval, for synchronous and asynchronous checkpoints
 */
public record Goodput(
        double clusterMtbfSeconds,
        double recoverySeconds,
        double share,
        TrainingCost cost,
        long bestEverySteps,
        double bestShare,
        TrainingCost bestCost,
        List<Point> curve) {
    /** Number of doublings or halvings of the best interval on either side of the curve. */
    private static final int DOUBLINGS = 4;

    /** Maximum interval as a multiple of the mean time between failures; longer ones are never best. */
    private static final double LONGEST = 4;

    /**
     * Checkpoint and failure parameters of a training.
     *
     * @param stepSeconds time of a step including stalls [s]
     * @param everySteps training steps between checkpoints
     * @param pauseSeconds pause for one checkpoint, by the steps between two [s]
     * @param clusterMtbfSeconds mean time between failures of any node [s]
     * @param recoverySeconds time from a failure until steps count again [s]
     */
    record Saving(
            double stepSeconds,
            long everySteps,
            LongToDoubleFunction pauseSeconds,
            double clusterMtbfSeconds,
            double recoverySeconds) {
        /** Returns the share of time spent on steps that count, for a number of steps between checkpoints. */
        double share(long steps) {
            double work = steps * stepSeconds;
            double stretch = (work + pauseSeconds.applyAsDouble(steps)) / clusterMtbfSeconds;
            double expected = clusterMtbfSeconds
                    * StrictMath.exp(recoverySeconds / clusterMtbfSeconds)
                    * StrictMath.expm1(stretch);
            return Double.isInfinite(expected) ? 0 : work / expected;
        }

        /** Returns the best number of steps between checkpoints; the share rises up to it and falls beyond. */
        long best() {
            long low = 1;
            long high = Math.max(2, (long) Math.min(1e12, LONGEST * clusterMtbfSeconds / stepSeconds));
            while (low < high) {
                long middle = low + (high - low) / 2;
                if (share(middle) < share(middle + 1)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }

    /**
     * The share of useful time at an interval.
     *
     * @param blockingShare share with synchronous checkpoints, 0 to 1
     * @param asynchronousShare share with asynchronous checkpoints, 0 to 1
     */
    public record Point(long everySteps, double blockingShare, double asynchronousShare) {}

    /** A training with synchronous checkpoints, and with asynchronous ones. */
    record Choice(Saving blocking, Saving asynchronous) {
        List<Point> around(long best) {
            List<Point> points = new ArrayList<>();
            for (int doubling = -DOUBLINGS; doubling <= DOUBLINGS; doubling++) {
                long steps = doubling < 0 ? best >> -doubling : best << doubling;
                if (steps > 0) {
                    points.add(new Point(steps, blocking.share(steps), asynchronous.share(steps)));
                }
            }
            return List.copyOf(points);
        }
    }

    /**
     * @param saving whichever of the two the training has
     * @param cost cost of the requested training without checkpoints and failures, from its steps alone
     */
    static Goodput of(Saving saving, Choice choice, TrainingCost cost) {
        long best = saving.best();
        double share = saving.share(saving.everySteps());
        double bestShare = saving.share(best);
        return new Goodput(
                saving.clusterMtbfSeconds(),
                saving.recoverySeconds(),
                share,
                longer(cost, share),
                best,
                bestShare,
                longer(cost, bestShare),
                choice.around(best));
    }

    private static TrainingCost longer(TrainingCost cost, double share) {
        return new TrainingCost(cost.tokens(), cost.days() / share, cost.usd() / share);
    }

    String sentence() {
        return "Failures: one every " + hours(clusterMtbfSeconds) + " leaves " + Quantities.fixed(100 * share, 1)
                + " % of the time for useful steps: " + time(cost) + ". A checkpoint every "
                + Quantities.count(bestEverySteps) + " steps is optimal: " + time(bestCost) + ".";
    }

    private static String hours(double seconds) {
        return Quantities.significant(seconds / 3600) + " h";
    }

    private static String time(TrainingCost cost) {
        return Quantities.significant(cost.days()) + " days"
                + (cost.hasPrice() ? " and " + Quantities.usd(cost.usd()) : "");
    }
}
