package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.keeping.KeptPoints;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sweeps in a {@link SimulatedCluster}, each with faults of its own. Every point comes to what it comes to on one machine, or ends with an error that
 * docs/cluster.md names; afterwards every member is alive and free. {@code -Dcluster.seeds=N} runs more.
 */
@Timeout(600)
class SimulatedFaultsTest {
    private static final String SWEEP = """
            scenario: simulated
            cluster: {instance: p4d.24xlarge, nodes: 1}
            model: {hidden: 256, layers: 2, heads: 8, vocab: 4096}
            strategy: {kind: zero3}
            training: {sequence_length: 128, global_batch: 8}
            sweep: {training.global_batch: [8, 16, 24, 32, 40, 48, 56]}
            """;

    /** A point that breaks a rule wherever it runs. */
    private static final int BROKEN = 5;

    private static final String RULE = "Node[0].Gpu[0]: a rule that this point breaks";
    /** What a sweep may end with, from docs/cluster.md. */
    private static final List<String> ERRORS = List.of(
            "the cluster has had no coordinator for 60 s",
            "3 members were lost while they ran it",
            "this command was removed from the cluster");

    private static final WireCodec CONTENTS = ClusterProtocol.contentCodec();

    private static List<ScenarioPoint> points = List.of();
    private static final Map<ScenarioPoint, RunResult> LOCAL = new HashMap<>();

    @TempDir
    private Path disk;

    @BeforeAll
    static void runLocally() throws Exception {
        points = ScenarioReader.readText("simulated.yaml", SWEEP).points();
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (ScenarioPoint point : points) {
                LOCAL.put(point, SimulatedCluster.timeless(simulation.run(point)));
            }
        }
    }

    /** Runs points as members do: what a point comes to does not depend on where it runs. */
    private static final class Remembered implements ScenarioRunner {
        @Override
        public RunResult run(ScenarioPoint point) {
            if (point.equals(points.get(BROKEN))) {
                throw new IllegalStateException(RULE);
            }
            RunResult result = LOCAL.get(point);
            if (result == null) {
                throw new IllegalStateException("a point that nobody asked for");
            }
            return result;
        }

        @Override
        public void close() {}
    }

    @Test
    void everyPointComesToWhatItIsOrToAnErrorThatIsNamed() throws Exception {
        Map<String, Integer> ends = new TreeMap<>();
        int seeds = Integer.getInteger("cluster.seeds", 100);
        for (int seed = 0; seed < seeds; seed++) {
            for (String end : ends(seed)) {
                ends.merge(end, 1, Integer::sum);
            }
        }
        System.out.println(seeds + " seeds of faults: " + ends);
        // A test whose sweeps mostly failed would show nothing.
        int all = ends.values().stream().mapToInt(Integer::intValue).sum();
        assertThat(ends.getOrDefault("result", 0)).isGreaterThan(all * 3 / 4);
        assertThat(ends.getOrDefault("broken rule", 0)).isGreaterThan(0);
    }

    @Test
    void simulationFollowsFromItsSeed() throws Exception {
        assertThat(ends(7)).isEqualTo(ends(7));
    }

    /** How the points of a seed's sweep ended. */
    private List<String> ends(int seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        SimulatedCluster.Faults faults = new SimulatedCluster.Faults(
                random.nextInt(4) == 0 ? 0 : random.nextInt(250), random.nextInt(60), 1 + random.nextInt(2_500));
        SimulatedCluster cluster =
                new SimulatedCluster(random, faults, 1 + random.nextInt(5), options -> new Remembered());
        KeptPoints kept = new KeptPoints(Files.createDirectories(disk.resolve(String.valueOf(seed))));
        Map<Integer, CompletableFuture<RunResult>> results = new LinkedHashMap<>();
        SimulatedCluster.Command command = asked(cluster, "first", kept, results, random);
        for (int crises = random.nextInt(8); crises > 0; crises--) {
            cluster.time.until(cluster.time.nowNanos() + SimulatedTime.millis(random.nextInt(15_000)));
            switch (random.nextInt(8)) {
                case 0, 1, 2 ->
                    cluster.crash(cluster.machines()
                            .get(random.nextInt(cluster.machines().size())));
                case 3, 4 -> cluster.part();
                case 5 -> cluster.machines().forEach(cluster::crash);
                case 6 -> {
                    command.kill();
                    losePower(disk.resolve(String.valueOf(seed)), random);
                    results.values().removeIf(result -> !result.isDone());
                    command = asked(cluster, "again-" + crises, kept, results, random);
                }
                default -> {
                    if (random.nextInt(4) == 0) {
                        command.removed();
                    }
                }
            }
        }
        cluster.time.until(cluster.time.nowNanos() + SimulatedTime.millis(30_000));
        cluster.calm();
        await(cluster, results.values(), 600);
        List<String> ends = new ArrayList<>();
        for (int number = 0; number < points.size(); number++) {
            ends.add(end(seed, number, results.get(number)));
        }
        command.close();
        everyMemberIsAliveAndFree(seed, cluster);
        return ends;
    }

    /** A command asks for what is not kept, and keeps what comes. */
    private static SimulatedCluster.Command asked(
            SimulatedCluster cluster,
            String job,
            KeptPoints kept,
            Map<Integer, CompletableFuture<RunResult>> results,
            SplittableRandom random) {
        SimulatedCluster.Command command = cluster.new Command(job);
        for (int number = 0; number < points.size(); number++) {
            ScenarioPoint point = points.get(number);
            RunResult before = kept.find(point).orElse(null);
            if (before != null) {
                results.put(number, CompletableFuture.completedFuture(before));
                continue;
            }
            byte[] question = CONTENTS.pack(new Question(point, new RunOptions(1, true)));
            CompletableFuture<RunResult> result = command.ask(number, 1 + random.nextInt(3), question);
            results.put(number, result.thenApply(come -> {
                keep(kept, point, come);
                return come;
            }));
        }
        return command;
    }

    private static void keep(KeptPoints kept, ScenarioPoint point, RunResult result) {
        try {
            kept.keep(point, result);
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** What was not synced is lost, whole or in part. */
    private static void losePower(Path folder, SplittableRandom random) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                byte[] bytes = Files.readAllBytes(file);
                switch (random.nextInt(4)) {
                    case 0 -> Files.delete(file);
                    case 1 -> Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
                    case 2 -> {
                        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                        Files.write(file, bytes);
                    }
                    default -> {}
                }
            }
        }
    }

    private static String end(int seed, int number, CompletableFuture<RunResult> result) {
        assertThat(result).as("seed %d: point %d", seed, number).isDone();
        try {
            assertThat(result.join())
                    .as("seed %d: point %d", seed, number)
                    .isEqualTo(number == BROKEN ? null : LOCAL.get(points.get(number)));
            return "result";
        } catch (CompletionException failed) {
            String why = String.valueOf(failed.getCause().getMessage());
            if (why.equals(RULE)) {
                assertThat(number).as("seed %d", seed).isEqualTo(BROKEN);
                return "broken rule";
            }
            assertThat(why).as("seed %d: point %d", seed, number).isIn(ERRORS);
            return why;
        }
    }

    private static void await(
            SimulatedCluster cluster, Collection<CompletableFuture<RunResult>> results, int secondsMax) {
        for (int second = 0; second < secondsMax && !results.stream().allMatch(CompletableFuture::isDone); second++) {
            cluster.time.until(cluster.time.nowNanos() + SimulatedTime.millis(1_000));
        }
    }

    private static void everyMemberIsAliveAndFree(int seed, SimulatedCluster cluster) {
        SimulatedCluster.Command last = cluster.new Command("last");
        List<CompletableFuture<RunResult>> results = new ArrayList<>();
        for (ScenarioPoint point : points) {
            results.add(last.ask(results.size(), 1, CONTENTS.pack(new Question(point, new RunOptions(1, true)))));
        }
        await(cluster, results, 300);
        for (int number = 0; number < points.size(); number++) {
            assertThat(end(seed, number, results.get(number)))
                    .as("seed %d, after all faults", seed)
                    .isEqualTo(number == BROKEN ? "broken rule" : "result");
        }
        last.close();
        cluster.time.until(cluster.time.nowNanos() + SimulatedTime.millis(5_000));
        assertThat(cluster.idleMembers())
                .as("seed %d", seed)
                .isEqualTo(cluster.machines().size());
    }
}
