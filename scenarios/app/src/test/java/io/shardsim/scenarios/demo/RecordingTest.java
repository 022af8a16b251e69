package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.replay.ReplayJson;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.run.Recorder;
import io.shardsim.simulator.run.RunObserver;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A recording agrees with the run: it adds up to the figures of the result document. */
class RecordingTest {
    private static final PointSimulation SIMULATION = new PointSimulation(1, true);
    private static final PointSimulation EVERY_EVENT = new PointSimulation(1, false);

    @AfterAll
    static void close() {
        SIMULATION.close();
        EVERY_EVENT.close();
    }

    private static ScenarioPoint point(String strategy, String... more) throws InputException {
        Map<String, String> choice =
                new LinkedHashMap<>(Map.of("strategy", strategy, "nodes", "2", "accumulation", "8"));
        for (int i = 0; i < more.length; i += 2) {
            choice.put(more[i], more[i + 1]);
        }
        return DemoScenario.open(null).point(choice);
    }

    private static long endPs(RunResult result) {
        return Math.round(result.step().stepSeconds() * 1e12);
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"mics", "zero3", "fsdp"})
    void totalsAndChunksCountToTheResult(String strategy) throws Exception {
        ScenarioPoint point = point(strategy);
        Recorder recorder = new Recorder(0, 1_000_000);
        RunResult result = SIMULATION.run(point, recorder);
        Recording recording = recorder.finish(endPs(result));

        assertThat(result.digest())
                .as("watching changes nothing")
                .isEqualTo(SIMULATION.run(point).digest());
        long[] last = recording.totals().last();
        assertThat(last[0]).isEqualTo(endPs(result));
        assertThat(last[1]).isEqualTo(result.network().nicBytesSent());
        assertThat(last[2] * 1e-12 / result.gpus())
                .isCloseTo(result.step().exposed().seconds(), within(1e-12));
        assertThat(recording.skipped().repetitions())
                .as("micro-batches that were skipped")
                .isNotEmpty();
        assertThat(nicBytes(recording)).isEqualTo(result.network().nicBytesSent());
    }

    /** A step of two stages, whose ranks wait for each other and for their tensor-parallel group. */
    private static ScenarioPoint stages() throws InputException {
        return new DemoScenario("stages", """
                scenario: stages
                cluster: {instance: p4d.24xlarge, nodes: 2}
                model: {hidden: 1024, layers: 4, heads: 16, ffn: 4096, vocab: 4096}
                training: {global_batch: 16, sequence_length: 512, micro_batch: 1, precision: bf16, activation_checkpointing: full}
                strategy: {kind: megatron, tensor_parallel: 8, pipeline_parallel: 2}
                """).point(Map.of());
    }

    @Test
    void exposedTimeCountsEveryKindOfExchange() throws Exception {
        Recorder recorder = new Recorder(0, 1_000);
        RunResult result = SIMULATION.run(stages(), recorder);
        Recording recording = recorder.finish(endPs(result));
        assertThat(result.step().exposed().seconds()).isPositive();
        assertThat(recording.totals().last()[2] * 1e-12 / result.gpus())
                .isCloseTo(result.step().exposed().seconds(), within(1e-12));
    }

    /** Digits are samples at the middle of equal shares of the step: 1 computes, 2 gathers, 4 reduces, 8 other communication. */
    @ParameterizedTest
    @ValueSource(strings = {"stages", "mics"})
    void stateOfEveryRankIsWhatItsOperationsSay(String which) throws Exception {
        ScenarioPoint point = which.equals("stages") ? stages() : point(which);
        Recorder recorder = new Recorder(0, 1_000);
        RunResult result = SIMULATION.run(point, recorder);
        ReplayJson replay = new ReplayJson(result, recorder.finish(endPs(result)));
        Map<?, ?> outline = replay.outline();
        Map<?, ?> states = (Map<?, ?>) outline.get("states");
        Map<?, ?> ranks = (Map<?, ?>) states.get("ranks");
        assertThat(ranks).isNotEmpty();
        for (double share : new double[] {0.1, 0.35, 0.5, 0.72, 0.95}) {
            long endPs = endPs(result);
            int looks = ((String) ((List<?>) states.get("texts")).get(0)).length() / 2;
            int look = (int) (share * looks);
            long ps = Math.round((look + 0.5) * endPs / looks);
            Map<String, Object> window = replay.window(ps, ps + 1, 0);
            ranks.forEach((rank, text) -> {
                char digit = ((String) ((List<?>) states.get("texts")).get((Integer) text)).charAt(look);
                assertThat(Character.digit(digit, 16))
                        .as("rank %s at %s", rank, share)
                        .isEqualTo(state(window, String.valueOf(rank), ps, (List<?>) outline.get("labels")));
                int part = ((String) ((List<?>) states.get("texts")).get((Integer) text)).charAt(looks + look) - 'a';
                assertThat(part).as("rank %s at %s", rank, share).isEqualTo(waits(window, String.valueOf(rank), ps));
                assertThat(part == 0).as("works").isEqualTo((Character.digit(digit, 16) & 1) == 1);
            });
        }
    }

    /** Returns the part of the overview in which a rank's compute is; 0 while it works. */
    private static int waits(Map<String, Object> window, String rank, long ps) {
        return ((List<?>) ((Map<?, ?>) window.get("waits")).get(rank))
                .stream()
                        .map(row -> (long[]) row)
                        .filter(row -> row[1] <= ps && ps < row[2])
                        .mapToInt(row -> (int) row[0])
                        .findFirst()
                        .orElse(0);
    }

    private static int state(Map<String, Object> window, String rank, long ps, List<?> labels) {
        int state = 0;
        for (Object row : (List<?>) ((Map<?, ?>) window.get("spans")).get(rank)) {
            long[] span = (long[]) row;
            if (span[1] <= ps && ps < span[2]) {
                Object label = ((Map<?, ?>) window.get("operations")).get(String.valueOf(span[0]));
                state |= Map.of("compute", 1, "gather", 2, "reduce", 4, "host", 0, "copy", 0)
                        .getOrDefault(((List<?>) labels.get((Integer) label)).get(0), 8);
            }
        }
        return state;
    }

    /** Includes operations of other ranks that end in the very picosecond in which rank 0 reaches the end of a period. */
    @ParameterizedTest
    @Tag("slow")
    @ValueSource(strings = {"mics", "zero3", "fsdp"})
    void everyRankIsAsBusyAsTheResultSays(String strategy) throws Exception {
        Recorder recorder = new Recorder(0, 1_000);
        RunResult result = SIMULATION.run(point(strategy), recorder);
        Recording recording = recorder.finish(endPs(result));
        assertThat(recording.skipped().repetitions()).isNotEmpty();
        AtomicLong busyPs = new AtomicLong();
        recording.spans().values().forEach(spans -> busyPs.addAndGet(computePs(recording, spans)));
        assertThat((double) busyPs.get() / endPs(result) / recording.spans().size())
                .isCloseTo(result.step().computeBusy(), within(1e-9));
    }

    private static long computePs(Recording recording, Recording.Spans spans) {
        AtomicLong sum = new AtomicLong();
        for (int i = 0; i < spans.size(); i++) {
            if (recording.labels().get(spans.operation(i)).stream().equals("compute")) {
                long tookPs = spans.endPs(i) - spans.startPs(i);
                recording
                        .skipped()
                        .copies(
                                spans.keyPs(i),
                                spans.startPs(i),
                                spans.endPs(i),
                                0,
                                Long.MAX_VALUE / 4,
                                (ps, operations) -> sum.addAndGet(tookPs));
            }
        }
        return sum.get();
    }

    @Test
    void bareCollectiveIsCountedOnItsWay() throws Exception {
        ScenarioPoint point = DemoScenario.open("library/all-reduce-1gib.yaml").point(Map.of());
        Recorder recorder = new Recorder(0, 1_000);
        RunResult result = SIMULATION.run(point, recorder);
        Recording.Totals totals = recorder.finish(Math.round(result.collective().seconds() * 1e12))
                .totals();
        assertThat(totals.last()[1]).isEqualTo(result.network().nicBytesSent());
        assertThat(totals.size()).isGreaterThan(500);
        for (int i = 1; i < totals.size(); i++) {
            assertThat(totals.sample(i)[0]).isGreaterThanOrEqualTo(totals.sample(i - 1)[0]);
            assertThat(totals.sample(i)[1]).isGreaterThanOrEqualTo(totals.sample(i - 1)[1]);
        }
    }

    /** Returns the bytes of all chunks between nodes, with every copy and repetition counted. */
    private static long nicBytes(Recording recording) {
        AtomicLong sum = new AtomicLong();
        Recording.Journeys journeys = recording.journeys();
        for (int i = 0; i < journeys.size(); i++) {
            Recording.RecordedPath path = recording.paths().get(journeys.path(i));
            if (path.far()[path.far().length - 1]) {
                long copies = Arrays.stream(path.destinationNodes())
                        .filter(node -> node >= 0)
                        .count();
                long bytes = journeys.bytes(i) * copies;
                long startPs = journeys.startPs(i);
                recording
                        .skipped()
                        .copies(
                                startPs,
                                startPs,
                                startPs,
                                0,
                                Long.MAX_VALUE / 4,
                                (ps, operations) -> sum.addAndGet(bytes));
            }
        }
        return sum.get();
    }

    @Test
    @Tag("slow")
    void windowInSkippedTimeShowsWhatTheFullRunDoesThere() throws Exception {
        ScenarioPoint point = point("mics");
        Recorder skipping = new Recorder(0, 1_000_000);
        RunResult result = SIMULATION.run(point, skipping);
        Recorder full = new Recorder(0, 2_000_000);
        RunResult executed = EVERY_EVENT.run(point, full);
        ReplayJson replay = new ReplayJson(result, skipping.finish(endPs(result)));
        ReplayJson truth = new ReplayJson(executed, full.finish(endPs(executed)));

        for (double share : new double[] {0.02, 0.31, 0.5, 0.77, 0.9, 0.97}) {
            long from = (long) (share * endPs(result));
            Map<String, Object> ours = replay.window(from, from + 2_000_000_000L, 1_000_000);
            Map<String, Object> theirs = truth.window(from, from + 2_000_000_000L, 1_000_000);
            assertThat(firstNode(ours)).as("chunks from %s on", share).isEqualTo(firstNode(theirs));
            assertThat(rankZero(ours)).as("operations from %s on", share).isEqualTo(rankZero(theirs));
        }
    }

    /** Returns journeys from node 0, without IDs that differ between runs. */
    private static List<String> firstNode(Map<String, Object> window) {
        List<String> found = new ArrayList<>();
        for (Object journey : (List<?>) window.get("journeys")) {
            long[] row = (long[]) journey;
            Map<?, ?> path = (Map<?, ?>) ((Map<?, ?>) window.get("paths")).get(String.valueOf(row[1]));
            if ((Integer) path.get("rank") < 8) {
                row = row.clone();
                row[1] = (Integer) path.get("rank");
                found.add(Arrays.toString(row));
            }
        }
        found.sort(null);
        return found;
    }

    private static List<String> rankZero(Map<String, Object> window) {
        List<?> spans = (List<?>) ((Map<?, ?>) window.get("spans")).get("0");
        return spans.stream().map(row -> Arrays.toString((long[]) row)).sorted().toList();
    }

    @Test
    @Tag("slow")
    void recordingStaysBoundedAndAnotherStretchIsTheSameRun() throws Exception {
        ScenarioPoint point = point("zero3");
        Recorder small = new Recorder(0, 5_000);
        RunResult result = SIMULATION.run(point, small);
        Recording bounded = small.finish(endPs(result));
        assertThat(bounded.journeys().size()).isEqualTo(5_000);
        assertThat(bounded.totals().size()).isLessThanOrEqualTo(4_096);
        assertThat(bounded.totals().last()[1]).isEqualTo(result.network().nicBytesSent());
        ReplayJson first = new ReplayJson(result, bounded);
        long until = first.coveredUntil(0, endPs(result));
        assertThat(until).isPositive().isLessThan(endPs(result));

        Recorder later = new Recorder(until - 10_000_000_000L, 100_000);
        SIMULATION.run(point, later);
        ReplayJson second = new ReplayJson(result, later.finish(endPs(result)));
        assertThat(second.coveredUntil(until, until + 1_000_000_000L)).isEqualTo(until + 1_000_000_000L);
        long from = until - 500_000_000L;
        assertThat(firstNode(second.window(from, until, 100_000)))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(firstNode(first.window(from, until, 100_000)));
    }

    /** The fewer chunks are recorded, the more is skipped; nothing else changes. */
    @Test
    @Tag("slow")
    void chunksThatNobodyFollowsAreSkippedWithoutATrace() throws Exception {
        ScenarioPoint point = point("zero3", "nodes", "16");
        RunResult unwatched = SIMULATION.run(point, (RunObserver) null);
        long events = 0;
        for (int journeys : new int[] {0, 5_000, 1_000_000}) {
            Recorder recorder = new Recorder(0, journeys);
            RunResult watched = SIMULATION.run(point, recorder);
            Recording recording = recorder.finish(endPs(watched));

            assertThat(watched.digest()).isEqualTo(unwatched.digest());
            assertThat(recording.totals().last()[1])
                    .isEqualTo(unwatched.network().nicBytesSent());
            assertThat(new ReplayJson(watched, recording).coveredUntil(0, endPs(watched)) > 0)
                    .isEqualTo(journeys > 0);
            assertThat(watched.effort().executedEvents()).isGreaterThan(events);
            events = watched.effort().executedEvents();
        }
        assertThat(unwatched.effort().executedEvents()).isLessThan(events);
    }
}
