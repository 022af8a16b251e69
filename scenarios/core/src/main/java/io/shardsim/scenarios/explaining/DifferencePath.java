package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.StepParts;
import io.shardsim.scenarios.explaining.Comparison.Contribution;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.NetworkFaults;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Intermediate runs from the slower of two trainings to the faster one, changing one difference at a time, so that each difference has one price,
 * whichever run is named first. Each intermediate run has kernels and micro-batch fixed, so that neither another strategy's kernels nor available
 * memory changes with anything else.
 *
 * <p>An intermediate run that is impossible, say because the other cluster splits the batch differently, is skipped; the differences before and after
 * it then count together.
 */
final class DifferencePath {
    /** Memory comes last, since it follows from the rest. */
    private static final List<Cause> ORDER =
            List.of(Cause.MODEL, Cause.CLUSTER, Cause.NETWORK, Cause.SHARDING, Cause.KERNELS, Cause.MEMORY);

    private static final Comparator<Side> SLOWER_FIRST = Comparator.comparingDouble(
                    (Side side) -> side.run().tokensPerSecond())
            .thenComparing(side -> String.valueOf(side.run().digest()));

    private final Side from;
    private final Side to;
    /** Whether the slower run is the second of the two. */
    private final boolean backwards;

    private final List<Stop> stops;

    /** A training and its result. */
    private record Side(ScenarioPoint point, RunResult run) {
        Task.Training task() {
            return (Task.Training) point.task();
        }

        String kernels() {
            return run.facts().sharding().kernels();
        }

        int microBatch() {
            return run.facts().model().microBatch();
        }

        InstanceSpec instance() {
            return point.cluster().instance();
        }
    }

    /**
     * An intermediate run.
     *
     * @param causes changes since the previous one
     * @param point the point to run; null for the end, which has run
     */
    private record Stop(Set<Cause> causes, @Nullable ScenarioPoint point) {}

    /** Creates intermediate runs between two runs with results. */
    DifferencePath(ScenarioPoint a, RunResult ranA, ScenarioPoint b, RunResult ranB) {
        Side first = new Side(a, ranA);
        Side second = new Side(b, ranB);
        backwards = SLOWER_FIRST.compare(first, second) > 0;
        from = backwards ? second : first;
        to = backwards ? first : second;
        stops = stops();
    }

    /** Returns the points to run. */
    List<ScenarioPoint> points() {
        return stops.stream().map(Stop::point).filter(Objects::nonNull).toList();
    }

    /**
     * Returns the cost of each difference, as the second run's increase over the first. The costs sum to the gap.
     *
     * @param results results by point; null if there is none, so that its differences count with the next
     * @param tokens number of tokens that times are scaled to
     */
    List<Contribution> contributions(Function<ScenarioPoint, @Nullable RunResult> results, long tokens) {
        List<Contribution> contributions = new ArrayList<>();
        Map<String, Long> before = parts(from.run(), tokens);
        Set<Cause> since = EnumSet.noneOf(Cause.class);
        for (Stop stop : stops) {
            since.addAll(stop.causes());
            RunResult here = stop.point() == null ? to.run() : results.apply(stop.point());
            if (here != null && here.training() != null) {
                Map<String, Long> after = parts(here, tokens);
                contributions.add(new Contribution(
                        EnumSet.copyOf(since),
                        backwards ? Comparison.difference(after, before) : Comparison.difference(before, after)));
                before = after;
                since.clear();
            }
        }
        if (backwards) {
            Collections.reverse(contributions);
        }
        return contributions;
    }

    private static Map<String, Long> parts(RunResult run, long tokens) {
        return StepParts.of(run.step().breakdown(), tokens, ComparedRun.tokens(run));
    }

    /** Returns all intermediate runs after the slower run, ending with the faster one. Empty if nothing in the step differs. */
    private List<Stop> stops() {
        List<Stop> stops = new ArrayList<>();
        Set<Cause> differing = differing();
        Set<Cause> done = EnumSet.noneOf(Cause.class);
        Set<Cause> since = EnumSet.noneOf(Cause.class);
        for (Cause cause : ORDER) {
            if (!differing.contains(cause) || done.contains(cause)) {
                continue;
            }
            done.add(cause);
            since.add(cause);
            ScenarioPoint point = point(done);
            if (point == null && differing.contains(Cause.MEMORY)) {
                Set<Cause> withMemory = EnumSet.copyOf(done);
                withMemory.add(Cause.MEMORY);
                point = point(withMemory);
                if (point != null) {
                    since.add(Cause.MEMORY);
                    done.add(Cause.MEMORY);
                }
            }
            if (point != null && !done.containsAll(differing)) {
                stops.add(new Stop(EnumSet.copyOf(since), point));
                since.clear();
            }
        }
        if (!differing.isEmpty()) {
            stops.add(new Stop(EnumSet.copyOf(since), null));
        }
        return stops;
    }

    private Set<Cause> differing() {
        Set<Cause> differing = EnumSet.noneOf(Cause.class);
        for (Cause cause : ORDER) {
            if (!of(from, cause).equals(of(to, cause))) {
                differing.add(cause);
            }
        }
        return differing;
    }

    /** Returns the values that a cause covers. */
    private static List<?> of(Side side, Cause cause) {
        Task.Training task = side.task();
        Task.Learning learning = task.learning();
        InstanceSpec instance = side.instance();
        Cluster cluster = side.point().cluster();
        return switch (cause) {
            case MODEL -> List.of(task.model(), learning.sequenceLength(), learning.globalBatch());
            case CLUSTER ->
                List.of(
                        cluster.nodes(),
                        instance.gpu(),
                        instance.gpusPerNode(),
                        cluster.faults().withNetwork(NetworkFaults.NONE));
            case NETWORK ->
                List.of(
                        instance.intraNode(),
                        instance.pcie(),
                        instance.network(),
                        side.point().collectives(),
                        cluster.faults().network());
            case SHARDING -> List.of(task.strategy().kind(), withoutProfile(task));
            case KERNELS ->
                List.of(
                        side.kernels(),
                        task.execution().attention(),
                        learning.precision(),
                        learning.dropout(),
                        learning.gradientClipping(),
                        learning.optimizer());
            case MEMORY -> List.of(side.microBatch(), task.execution().kept());
            case AROUND -> List.of();
        };
    }

    private static Map<String, String> withoutProfile(Task.Training task) {
        Map<String, String> parameters = task.strategy().parameters();
        parameters.remove("framework_profile");
        return parameters;
    }

    /** Returns the slower training with some causes set as in the faster one; null if that cannot run. */
    @Nullable
    private ScenarioPoint point(Set<Cause> changed) {
        Side model = side(changed, Cause.MODEL);
        Side kernels = side(changed, Cause.KERNELS);
        Side memory = side(changed, Cause.MEMORY);
        Task.Learning data = model.task().learning();
        Task.Learning computed = kernels.task().learning();
        Task.Training task = new Task.Training(
                model.task().modelName(),
                model.task().model(),
                new Task.Learning(
                        data.sequenceLength(),
                        data.globalBatch(),
                        computed.precision(),
                        computed.dropout(),
                        computed.gradientClipping(),
                        computed.optimizer(),
                        computed.fp8Recipe()),
                new Task.Execution(
                        memory.microBatch(),
                        memory.task().execution().kept(),
                        kernels.task().execution().attention(),
                        kernels.kernels(),
                        kernels.task().execution().graphs()),
                side(changed, Cause.SHARDING).task().strategy(),
                null);
        Cluster cluster = cluster(side(changed, Cause.CLUSTER), side(changed, Cause.NETWORK));
        return cluster == null || !task.problems(cluster).isEmpty()
                ? null
                : new ScenarioPoint(
                        from.point().scenario(),
                        Map.of("changed", String.valueOf(changed)),
                        cluster,
                        task,
                        side(changed, Cause.NETWORK).point().collectives(),
                        List.of(),
                        List.of(),
                        Map.of());
    }

    private Side side(Set<Cause> changed, Cause cause) {
        return changed.contains(cause) ? to : from;
    }

    /** Returns a cluster with one side's GPUs and the other's network; null if their GPUs per node differ. */
    private static @Nullable Cluster cluster(Side gpus, Side network) {
        InstanceSpec own = gpus.instance();
        InstanceSpec joined = network.instance();
        if (own.gpusPerNode() != joined.gpusPerNode()) {
            return null;
        }
        InstanceSpec instance = Objects.equals(own, joined)
                ? own
                : new InstanceSpec(
                        own.name(),
                        own.gpu(),
                        own.gpusPerNode(),
                        joined.intraNode(),
                        joined.pcie(),
                        joined.network(),
                        own.hostMemoryBytes(),
                        own.price());
        return new Cluster(
                instance,
                gpus.point().cluster().nodes(),
                gpus.point()
                        .cluster()
                        .faults()
                        .withNetwork(network.point().cluster().faults().network()));
    }
}
