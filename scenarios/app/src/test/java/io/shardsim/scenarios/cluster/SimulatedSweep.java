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
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A sweep in a {@link SimulatedCluster}, with faults drawn from a seed, and checks of everything that must hold. */
final class SimulatedSweep {
    private static final String SWEEP = """
            scenario: simulated
            cluster: {instance: p4d.24xlarge, nodes: 1}
            workload: {collective: all_reduce, size: 1 MiB}
            sweep: {workload.size: [1 MiB, 2 MiB, 3 MiB, 4 MiB, 5 MiB, 6 MiB, 7 MiB]}
            """;

    /** A point that violates a rule wherever it runs. */
    private static final int BROKEN = 5;

    private static final String RULE = "Node[0].Gpu[0]: a rule that this point breaks, ";
    /** Answers in three parts, which differ from run to run like wall times. */
    private static final List<String> BREAKS =
            Stream.of(0, 1, 2).map(SimulatedSweep::broken).toList();

    /** Errors with which a sweep may end, from docs/cluster.md. */
    private static final String NO_COORDINATOR = "the cluster has had no coordinator for 60 s";

    private static final Pattern LOST = Pattern.compile("[3-9] members were lost while running it");
    private static final String NO_WORKER = "no worker has been heard for 60 s at ";
    private static final String NO_MEMBER = "the cluster's coordinator has heard no worker for 15 s";

    private static final WireCodec CONTENTS = ClusterProtocol.contentCodec();
    private static final List<ScenarioPoint> POINTS = points();
    private static final Map<ScenarioPoint, RunResult> LOCAL = local();

    private final SplittableRandom random;
    private final Weather weather;
    private final SimulatedCluster cluster;
    private final Path folder;
    private final KeptPoints kept;
    /** Outcomes by number of the point; none for a cancelled one. */
    private final Map<Integer, CompletableFuture<RunResult>> results = new LinkedHashMap<>();

    /** Number under which the command has requested the point. */
    private final Map<Integer, Integer> asked = new HashMap<>();

    private SimulatedCommand command;

    /**
     * Outcome of a sweep.
     *
     * @param ends how the points ended, in words
     * @param trace hash of all messages
     */
    record Outcome(List<String> ends, long trace) {}

    /** Events during a sweep. */
    private enum Weather {
        /** Only some points are cancelled. */
        FINE,
        /** Members leave in order. */
        LEAVING,
        /** The same, but the coordinator stays where it can: it counts the losses. */
        SPARING,
        /** Members leave and crash, commands are killed and their connections cut, on a network that delivers everything in order. */
        CRASHES,
        /** All of that, on a network with faults. */
        ALL;

        static Weather of(int seed) {
            return switch (seed % 8) {
                case 0 -> FINE;
                case 1 -> LEAVING;
                case 4 -> SPARING;
                case 2, 3 -> CRASHES;
                default -> ALL;
            };
        }
    }

    SimulatedSweep(int seed, Path disk) throws IOException {
        random = new SplittableRandom(seed);
        weather = Weather.of(seed);
        SimulatedNetwork.Faults faults = weather == Weather.ALL
                ? new SimulatedNetwork.Faults(
                        random.nextInt(4) == 0 ? 0 : random.nextInt(250), random.nextInt(60), 1 + random.nextInt(2_500))
                : SimulatedNetwork.Faults.NONE;
        cluster = new SimulatedCluster(random, faults, 1 + random.nextInt(5), options -> new Remembered());
        folder = Files.createTempDirectory(disk, "seed");
        kept = new KeptPoints(folder);
        command = ask("first");
    }

    /** Runs points like members do: the result does not depend on where a point runs. */
    private final class Remembered implements ScenarioRunner {
        @Override
        public RunResult run(ScenarioPoint point) {
            if (point.equals(POINTS.get(BROKEN))) {
                throw new IllegalStateException(BREAKS.get(random.nextInt(BREAKS.size())));
            }
            RunResult result = LOCAL.get(point);
            if (result == null) {
                throw new IllegalStateException("a point that nobody asked for");
            }
            return SimulatedCluster.taking(random.nextDouble(), result);
        }

        @Override
        public void close() {}
    }

    private static String broken(int run) {
        StringBuilder text = new StringBuilder(RULE);
        new SplittableRandom(run).ints(330_000, ' ', 127).forEach(text::appendCodePoint);
        return text.toString();
    }

    private static List<ScenarioPoint> points() {
        try {
            return ScenarioReader.readText("simulated.yaml", SWEEP).points();
        } catch (InputException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static Map<ScenarioPoint, RunResult> local() {
        Map<ScenarioPoint, RunResult> local = new HashMap<>();
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (ScenarioPoint point : POINTS) {
                local.put(point, SimulatedCluster.timeless(simulation.run(point)));
            }
        } catch (InterruptedException stopped) {
            throw new AssertionError(stopped);
        }
        return local;
    }

    Outcome run() throws IOException {
        if (weather != Weather.FINE && cluster.machines().size() > 1 && random.nextInt(4) == 0) {
            cluster.hang();
        }
        if (weather != Weather.FINE && random.nextInt(4) == 0) {
            cluster.setDeadly(new Ticket("first", 1 + random.nextInt(POINTS.size())));
        }
        for (int crises = random.nextInt(8); crises > 0; crises--) {
            sleep(random.nextInt(weather == Weather.LEAVING || weather == Weather.SPARING ? 6_000 : 15_000));
            happen();
        }
        if (weather == Weather.ALL) {
            sleep(30_000);
            cluster.network().calm();
        }
        await(results.values());
        List<String> ends = new ArrayList<>();
        for (int number = 0; number < POINTS.size(); number++) {
            CompletableFuture<RunResult> result = results.get(number);
            ends.add(result == null ? "cancelled" : end(number, result));
        }
        sleep(1_500);
        if (command.isOpen()) {
            assertThat(command.waitsFor())
                    .as("points that the command says it wants")
                    .isZero();
        }
        command.close();
        everyMemberIsAliveAndFree();
        nothingIsCountedTwice();
        return new Outcome(ends, cluster.network().trace());
    }

    private void happen() throws IOException {
        SimulatedMachine machine =
                cluster.machines().get(random.nextInt(cluster.machines().size()));
        int what = random.nextInt(10);
        switch (weather) {
            case FINE -> cancel();
            case LEAVING ->
                cluster.leave(
                        cluster.works().isEmpty() || random.nextInt(4) == 0
                                ? machine
                                : cluster.busyMachine(machine, true));
            case SPARING -> cluster.leave(cluster.busyMachine(machine, false));
            case CRASHES -> {
                switch (what) {
                    case 0 -> cancel();
                    case 1 -> killed();
                    case 6, 7 -> command.cut();
                    case 2 -> cluster.machines().forEach(cluster::crash);
                    case 3, 4, 5 -> cluster.leave(machine);
                    default -> cluster.crash(machine);
                }
            }
            case ALL -> {
                switch (what) {
                    case 0, 1 -> cluster.crash(machine);
                    case 2 -> cluster.leave(machine);
                    case 3, 4, 5 -> cluster.part();
                    case 6 -> cluster.machines().forEach(cluster::crash);
                    case 7 -> {
                        losePower();
                        killed();
                    }
                    case 8 -> cancel();
                    default -> command.cut();
                }
            }
        }
    }

    /** The user cancels a point. */
    private void cancel() {
        int number = random.nextInt(POINTS.size());
        CompletableFuture<RunResult> result = results.get(number);
        if (result != null && !result.isDone()) {
            results.remove(number);
            command.cancel(asked.getOrDefault(number, 0));
        }
    }

    private void killed() {
        command.kill();
        command = ask("again-" + cluster.commands().size());
    }

    /** A command requests what is not stored, and stores what arrives. */
    private SimulatedCommand ask(String job) {
        List<SimulatedMachine> contacts = new ArrayList<>(cluster.machines());
        Collections.rotate(contacts, random.nextInt(contacts.size()));
        SimulatedCommand asking = new SimulatedCommand(
                cluster, job, random.nextInt(3) == 0 ? contacts.subList(0, 1 + contacts.size() / 2) : contacts);
        asked.clear();
        for (int number = 0; number < POINTS.size(); number++) {
            ScenarioPoint point = POINTS.get(number);
            CompletableFuture<RunResult> earlier = results.get(number);
            RunResult before = kept.find(point).orElse(null);
            if (before != null) {
                results.put(number, CompletableFuture.completedFuture(before));
            } else if (earlier == null || !earlier.isDone()) {
                CompletableFuture<RunResult> result = new CompletableFuture<>();
                results.put(number, result.thenApply(come -> keep(point, come)));
                asked.put(number, asking.ask(1 + random.nextInt(3), question(point), result));
            }
        }
        return asking;
    }

    private static byte[] question(ScenarioPoint point) {
        return CONTENTS.pack(new Question(point, new RunOptions(1, true)));
    }

    private RunResult keep(ScenarioPoint point, RunResult result) {
        try {
            kept.keep(point, result);
            return result;
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }

    /** Unsynced data is lost, entirely or partly. */
    private void losePower() throws IOException {
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
        results.values().removeIf(result -> !result.isDone());
    }

    private String end(int number, CompletableFuture<RunResult> result) {
        assertThat(result.isDone()).as("point %d ends", number).isTrue();
        try {
            assertThat(SimulatedCluster.timeless(result.join()))
                    .as("point %d", number)
                    .isEqualTo(number == BROKEN ? null : LOCAL.get(POINTS.get(number)));
            return "result";
        } catch (CompletionException failed) {
            String why = String.valueOf(failed.getCause().getMessage());
            if (BREAKS.contains(why)) {
                assertThat(number).isEqualTo(BROKEN);
                return "broken rule";
            }
            assertThat(hasCause(why)).as("point %d may end so: %s", number, why).isTrue();
            return why;
        }
    }

    private boolean hasCause(String why) {
        return switch (why) {
            case NO_COORDINATOR -> cluster.longestSilenceNanos() >= SimulatedCluster.TAKEOVER.toNanos();
            case NO_MEMBER -> cluster.longestIdlenessNanos() >= SimulatedTime.millis(15_000);
            default ->
                why.startsWith(NO_WORKER)
                        ? cluster.longestLonelinessNanos() >= SimulatedCluster.TAKEOVER.toNanos()
                        : LOST.matcher(why).matches() && (cluster.losses() >= 3 || weather == Weather.ALL);
        };
    }

    private void sleep(long millis) {
        cluster.time.until(cluster.time.nowNanos() + SimulatedTime.millis(millis));
    }

    /** Waits for results: a hanging point is copied after three times the longest of the others. */
    private void await(Collection<CompletableFuture<RunResult>> awaited) {
        for (int second = 0; second < 1_500 && !awaited.stream().allMatch(CompletableFuture::isDone); second++) {
            sleep(1_000);
        }
    }

    private void everyMemberIsAliveAndFree() {
        // A machine may be off for longer than a command waits for a coordinator.
        for (int second = 0; second < 100 && !cluster.everyMemberRuns(); second++) {
            sleep(1_000);
        }
        SimulatedCommand last = new SimulatedCommand(cluster, "last", cluster.machines());
        List<CompletableFuture<RunResult>> lastAsked = new ArrayList<>();
        for (ScenarioPoint point : POINTS) {
            CompletableFuture<RunResult> result = new CompletableFuture<>();
            last.ask(1, question(point), result);
            lastAsked.add(result);
        }
        await(lastAsked);
        for (int number = 0; number < POINTS.size(); number++) {
            assertThat(end(number, lastAsked.get(number)))
                    .as("point %d after all faults", number)
                    .isEqualTo(number == BROKEN ? "broken rule" : "result");
        }
        last.close();
        if (cluster.watch().wasAllHeard()) {
            sleep(5_000);
            assertThat(cluster.tables()).as("entries in tables").containsOnlyKeys("Coordinator.members");
        }
        // After a minute a command that ended silently is forgotten, and every machine is back.
        sleep(cluster.watch().wasAllHeard() && cluster.everyMemberRuns() ? 5_000 : 90_000);
        assertThat(cluster.everyMemberRuns()).as("every member is alive").isTrue();
        assertThat(cluster.works()).as("points under way").isEmpty();
        assertThat(cluster.visits()).as("connections of commands").isZero();
        assertThat(cluster.tables())
                .as("entries in tables")
                .isEqualTo(Map.of("Coordinator.members", cluster.machines().size()));
    }

    private void nothingIsCountedTwice() {
        assertThat(cluster.network().neverFaulty() && cluster.tooManyDied())
                .as("a deadly point is not given up")
                .isFalse();
        for (SimulatedCommand each : cluster.commands().values()) {
            assertThat(each.counted()).as("results counted").isEqualTo(each.answers());
            assertThat(each.notices).as("notices").noneMatch(notice -> notice.contains("cannot be read"));
        }
        if (cluster.watch().isUntouched()) {
            assertThat(cluster.watch().begun()).as("assignments that began").isEqualTo(cluster.assignments());
            cluster.commands().values().forEach(each -> assertThat(each.notices).isEmpty());
        }
    }
}
