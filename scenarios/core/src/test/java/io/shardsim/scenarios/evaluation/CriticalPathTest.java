package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.kernel.Causality;
import io.shardsim.simulator.observation.CriticalPath;
import io.shardsim.simulator.observation.CriticalPath.Segment;
import io.shardsim.simulator.observation.CriticalPath.Waiting;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.simulator.run.CriticalPathRecorder;
import io.shardsim.simulator.run.RunObserver;
import io.shardsim.simulator.run.RunView;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.topology.LinkClass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The critical path is as long as the step, lies inside the operations that it names, and passes through the rank that others wait for. */
@Timeout(value = 2, unit = TimeUnit.HOURS)
class CriticalPathTest {
    private static final String TRAINING = """
            scenario: small
            model: {hidden: 1024, layers: 4, heads: 16, ffn: 4096, vocab: 4096}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 32, micro_batch: 1, precision: bf16}
            strategy: {kind: %s}
            """;

    @AutoClose
    private static final SimulationEngine engine = new SimulationEngine(1);

    /** Also records when each rank ran each operation. */
    private static final class Watched implements RunObserver {
        final CriticalPathRecorder recorder = new CriticalPathRecorder(Long.MAX_VALUE);
        final Map<Integer, Map<Integer, long[]>> spans = new HashMap<>();

        @Override
        public Causality causality() {
            return recorder;
        }

        @Override
        public void onAssembled(RunView run) {
            recorder.onAssembled(run);
        }

        @Override
        public void onOperationEnded(int rank, int operation, long startPs, long endPs) {
            spans.computeIfAbsent(operation, key -> new HashMap<>()).put(rank, new long[] {startPs, endPs});
            recorder.onOperationEnded(rank, operation, startPs, endPs);
        }

        @Override
        public void onMarkReached(long nowPs) {
            recorder.onMarkReached(nowPs);
        }

        @Override
        public void onPeriodsSkipped(long fromPs, long toPs, int deltaOperations, int times) {
            recorder.onPeriodsSkipped(fromPs, toPs, deltaOperations, times);
        }

        @Override
        public void onBooked(
                Path path, int hop, long order, long headPs, long tailPs, long startPs, long leavePs, long bytes) {
            recorder.onBooked(path, hop, order, headPs, tailPs, startPs, leavePs, bytes);
        }
    }

    private record Followed(RunResult run, long endPs, CriticalPath path, Watched watched) {
        long ps(Waiting waiting) {
            return path.segments().stream()
                    .filter(segment -> segment.waiting() == waiting)
                    .mapToLong(Segment::ps)
                    .sum();
        }
    }

    private static Optional<Followed> follow(ScenarioPoint point) throws InterruptedException {
        Watched watched = new Watched();
        List<StepObservation> observed = new ArrayList<>();
        try (PointSimulation simulation = new PointSimulation(
                new RunOptions(1, true).running(RunOptions.TooLarge.SIMULATED), (setup, observer, endMaxPs) -> {
                    observed.add(engine.run(setup, 1, observer));
                    return observed.get(0);
                })) {
            RunResult run = simulation.run(point, watched);
            if (!run.fits()) {
                return Optional.empty();
            }
            long endPs = observed.get(0).endPs();
            return Optional.of(new Followed(run, endPs, watched.recorder.finish(endPs), watched));
        }
    }

    private static Followed follow(String text) throws Exception {
        return follow(ScenarioReader.readText("s", text).points().get(0)).orElseThrow();
    }

    @Test
    @Tag("slow")
    void isAsLongAsTheStepWhateverTheScenario() throws Exception {
        Set<String> strategies = new TreeSet<>();
        for (int seed = 0; seed < Integer.getInteger("path.seeds", 40); seed++) {
            Optional<ScenarioPoint> point = RandomScenario.point(seed);
            Optional<Followed> followed = point.isEmpty() ? Optional.empty() : follow(point.get());
            if (followed.isPresent()) {
                String what = "seed " + seed + ": " + RandomScenario.text(seed);
                long sumPs = followed.get().path().segments().stream()
                        .mapToLong(Segment::ps)
                        .sum();
                assertThat(sumPs).as(what).isEqualTo(followed.get().endPs());
                followed.get()
                        .path()
                        .segments()
                        .forEach(segment -> lies(segment, followed.get().watched(), what));
                if (followed.get().run().facts().strategy() != null) {
                    strategies.add(followed.get().run().facts().strategy().kind());
                }
            }
        }
        assertThat(strategies).hasSizeGreaterThanOrEqualTo(12);
    }

    /** Kernels are within the rank's own operation, collectives between the first rank's start and the last one's end. */
    private static void lies(Segment segment, Watched watched, String what) {
        Map<Integer, long[]> spans = Objects.requireNonNull(watched.spans.get(segment.operation()));
        boolean alone = !(segment.what() instanceof Operation.Collective);
        long beginPs = Long.MAX_VALUE;
        long endPs = 0;
        for (Map.Entry<Integer, long[]> span : spans.entrySet()) {
            if (!alone || span.getKey() == segment.rank() || segment.link() != null) {
                beginPs = Math.min(beginPs, span.getValue()[0]);
                endPs = Math.max(endPs, span.getValue()[1]);
            }
        }
        assertThat(segment.startPs()).as(what + segment).isGreaterThanOrEqualTo(beginPs);
        assertThat(segment.endPs()).as(what + segment).isLessThanOrEqualTo(endPs);
    }

    @Test
    void doesNotChangeTheRun() throws Exception {
        ScenarioPoint point = ScenarioReader.readText("s", TRAINING.formatted("zero3"))
                .points()
                .get(0);
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            assertThat(follow(point).orElseThrow().run().digest())
                    .isEqualTo(simulation.run(point).digest());
        }
    }

    @Test
    void goesThroughTheSlowGpuThatAllOthersWaitFor() throws Exception {
        Followed healthy = follow(TRAINING.formatted("ddp"));
        Followed slow = follow(TRAINING.formatted("ddp") + "faults: {slow_gpu: 2.5}\n");
        long[] computingPs = new long[16];
        for (Segment segment : slow.path().segments()) {
            if (segment.waiting() == Waiting.KERNEL) {
                computingPs[segment.rank()] += segment.ps();
            }
        }
        assertThat(computingPs[0]).isGreaterThan(slow.ps(Waiting.KERNEL) * 9 / 10);
        assertThat(slow.ps(Waiting.KERNEL)).isGreaterThan(healthy.ps(Waiting.KERNEL) * 2);
    }

    @Test
    void namesTheLinkThatABareCollectiveWaitsFor() throws Exception {
        Followed followed = follow("""
                scenario: gather
                cluster: {instance: p4d.24xlarge, nodes: 4, nic: 20 Gbit/s}
                workload: {collective: all_gather, size: 1 GiB}
                """);
        Map<LinkClass, Long> byLink = new HashMap<>();
        for (Segment segment : followed.path().segments()) {
            if (segment.link() != null) {
                byLink.merge(segment.link(), segment.ps(), Long::sum);
            }
        }
        long longest = byLink.values().stream().mapToLong(Long::longValue).max().orElseThrow();
        assertThat(byLink.get(LinkClass.NIC)).isEqualTo(longest).isGreaterThan(followed.endPs() / 2);
    }

    @Test
    void waitsForTheHostWhereKernelsAreLate() throws Exception {
        Followed fast = follow(TRAINING.formatted("zero3"));
        Followed slow = follow(TRAINING.formatted("zero3") + "faults: {slow_host: 3}\n");
        assertThat(slow.ps(Waiting.HOST)).isGreaterThan(2 * fast.ps(Waiting.HOST));
    }
}
