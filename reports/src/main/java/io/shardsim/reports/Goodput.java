package io.shardsim.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongToDoubleFunction;

/**
 * What failures leave of a training: the share of time spent on steps that count, days and dollars at that share, and the interval between checkpoints that leaves
 * most.
 *
 * <p>Failures come one by one with an exponential distribution, each stops all nodes, and all since the last checkpoint is done again. The expected time
 * for a stretch of work t, a pause d for its checkpoint and a recovery R, with a mean time M between failures of the cluster, is
 * {@code M e^(R/M) (e^((t+d)/M) - 1)} [1]. Failures during a recovery or a checkpoint are counted. A checkpoint that is written while training goes on protects
 * only once it is written; until then a failure loses that time, too, which counts as recovery here.
 *
 * <p>Leaves out failures that come together, spare nodes that are missing, and slow nodes that nobody notices.
 *
 * <p>[1] Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, Future Generation Computer Systems 22 (2006), equation 20.
 *
 * @param clusterMtbfSeconds mean time between failures of any node [s]
 * @param recoverySeconds from a failure until steps count again, what has to be done again left out [s]
 * @param share of time spent on steps that count, 0 to 1
 * @param cost of the training that was asked for, with failures
 * @param bestEverySteps training steps between checkpoints that leave most
 * @param bestShare what they leave, 0 to 1
 * @param bestCost of the same training with these checkpoints
 * @param curve shares around the best interval, for checkpoints that stop training and for those that do not
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
    /** Points of the curve on either side of the best interval, each of twice or half the steps. */
    private static final int DOUBLINGS = 4;

    /** Longer intervals than so many mean times between failures are never the best. */
    private static final double LONGEST = 4;

    /**
     * How a training is saved and fails.
     *
     * @param stepSeconds a step with its stalls [s]
     * @param everySteps training steps between checkpoints
     * @param pauseSeconds in which training stands still for one, by the steps between two [s]
     * @param clusterMtbfSeconds mean time between failures of any node [s]
     * @param recoverySeconds from a failure until steps count again [s]
     */
    record Saving(
            double stepSeconds,
            long everySteps,
            LongToDoubleFunction pauseSeconds,
            double clusterMtbfSeconds,
            double recoverySeconds) {
        /** Share of time spent on steps that count with so many steps between checkpoints. */
        double share(long steps) {
            double work = steps * stepSeconds;
            double stretch = (work + pauseSeconds.applyAsDouble(steps)) / clusterMtbfSeconds;
            double expected = clusterMtbfSeconds
                    * StrictMath.exp(recoverySeconds / clusterMtbfSeconds)
                    * StrictMath.expm1(stretch);
            return Double.isInfinite(expected) ? 0 : work / expected;
        }

        /** The steps between checkpoints that leave most; the share rises up to them and falls from there. */
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
     * What is left with so many steps between checkpoints.
     *
     * @param blockingShare where training stands still until a checkpoint is written, 0 to 1
     * @param asynchronousShare where it goes on meanwhile, 0 to 1
     */
    public record Point(long everySteps, double blockingShare, double asynchronousShare) {}

    /** A training whose checkpoints stop it, and the same whose checkpoints do not. */
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
     * @param saving the one of the two that the training has
     * @param cost of the training that was asked for without checkpoints and failures, by the steps that it takes alone
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
