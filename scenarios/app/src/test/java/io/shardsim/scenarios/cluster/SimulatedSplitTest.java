package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Split runs in a {@link SimulatedCluster}, with lost, late, duplicated and reordered orders and windows, and members that crash. Each gives the
 * result of a single machine, or names the lost member. {@code -Dcluster.seeds=N} runs more.
 */
class SimulatedSplitTest {
    private static final String SWEEP = """
            scenario: split
            cluster: {instance: p4d.24xlarge, nodes: 3}
            workload: {collective: all_reduce, size: 4 MiB}
            sweep: {workload.size: [4 MiB, 6 MiB, 8 MiB, 10 MiB]}
            """;

    private static final WireCodec CONTENTS = ClusterProtocol.contentCodec();
    private static final List<ScenarioPoint> POINTS = points();
    private static final Map<ScenarioPoint, RunResult> LOCAL = local();
    private static final Pattern LOST = Pattern.compile("member .* was lost while running part . of .; run it again.*");
    /** All machines may be without power for longer than a command waits. */
    private static final String NO_COORDINATOR = "the cluster has had no coordinator for 60 s";
    /** Limit of one run; a window takes a second on the worst of these networks [s]. */
    private static final int PATIENCE = 3_000;

    private enum Weather {
        /** All messages arrive in order. */
        FINE,
        /** Messages are lost, duplicated, late and reordered. */
        FAULTS,
        /** Members crash, and runs restart; connections of commands are cut. */
        CRASHES,
        /** Members crash, and runs end. */
        ENDS,
        /** A member alone gives up its part, as by a late order. */
        DROPS
    }

    private final Map<String, Integer> ends = new TreeMap<>();

    private static List<ScenarioPoint> points() {
        try {
            return ScenarioReader.readText("split.yaml", SWEEP).points();
        } catch (InputException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static Map<ScenarioPoint, RunResult> local() {
        Map<ScenarioPoint, RunResult> local = new HashMap<>();
        try (PointSimulation simulation = new PointSimulation(1, false)) {
            for (ScenarioPoint point : POINTS) {
                local.put(point, simulation.run(point));
            }
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
        return local;
    }

    @Test
    @Tag("slow")
    void everyRunInPartsComesToWhatItIsOrNamesWhoWasLost() {
        int seeds = Integer.getInteger("cluster.seeds", 40);
        for (int seed = 0; seed < seeds; seed++) {
            try {
                long end = run(seed);
                assertThat(seed % 10 == 4 ? run(seed) : end)
                        .as("the same again")
                        .isEqualTo(end);
            } catch (AssertionError failure) {
                throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
            }
        }
        System.out.println(seeds + " seeds of runs in parts: " + ends);
        assertThat(ends.get("result")).isGreaterThan(3 * seeds);
        assertThat(ends.get("lost")).isGreaterThan(0);
    }

    /** Returns a value that distinguishes two courses of a simulation. */
    private long run(int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Weather weather = Weather.values()[seed % Weather.values().length];
        SimulatedNetwork.Faults faults = weather == Weather.FAULTS
                ? new SimulatedNetwork.Faults(random.nextInt(30), random.nextInt(100), 1 + random.nextInt(300))
                : SimulatedNetwork.Faults.NONE;
        SimulatedCluster cluster = new SimulatedCluster(random, faults, 2 + random.nextInt(3), options -> {
            throw new AssertionError("a point of its own");
        });
        List<SimulatedMachine> machines = cluster.machines();
        SimulatedCommand command = new SimulatedCommand(cluster, "job", new ArrayList<>(machines));
        for (ScenarioPoint point : POINTS) {
            CompletableFuture<RunResult> result = new CompletableFuture<>();
            byte[] question = CONTENTS.pack(new Question(point, new RunOptions(1, true)));
            Ticket ticket = new Ticket("job", command.ask(1, 3, weather != Weather.ENDS, question, result));
            cluster.time.after(SimulatedTime.millis(random.nextInt(6_000)), () -> {
                SimulatedMachine machine = machines.get(random.nextInt(machines.size()));
                if (weather == Weather.CRASHES && random.nextBoolean()) {
                    command.cut();
                } else if (weather == Weather.CRASHES || weather == Weather.ENDS) {
                    cluster.crash(machine);
                } else if (weather == Weather.DROPS) {
                    cluster.drop(machine, ticket);
                }
            });
            for (int second = 0; second < PATIENCE && !result.isDone(); second++) {
                cluster.time.until(cluster.time.nowNanos() + SimulatedTime.millis(1_000));
            }
            String end = end(point, result, weather);
            ends.merge(end, 1, Integer::sum);
            if (end.equals(NO_COORDINATOR)) {
                return random.nextLong();
            }
        }
        command.close();
        cluster.time.until(cluster.time.nowNanos() + SimulatedTime.millis(120_000));
        assertThat(cluster.works()).as("parts under way").isEmpty();
        return random.nextLong();
    }

    private static String end(ScenarioPoint point, CompletableFuture<RunResult> result, Weather weather) {
        assertThat(result).as("%s ends", point.values()).isDone();
        try {
            // Each process has its own event list, whose length is not compared.
            assertThat(result.join().digest()).isEqualTo(LOCAL.get(point).digest());
            assertThat(result.join().collective()).isEqualTo(LOCAL.get(point).collective());
            return "result";
        } catch (CompletionException failed) {
            String why = String.valueOf(failed.getCause().getMessage());
            if (why.equals(NO_COORDINATOR)) {
                assertThat(weather).isIn(Weather.CRASHES, Weather.ENDS);
                return NO_COORDINATOR;
            }
            assertThat(why).matches(LOST);
            assertThat(weather).isEqualTo(Weather.ENDS);
            return "lost";
        }
    }
}
