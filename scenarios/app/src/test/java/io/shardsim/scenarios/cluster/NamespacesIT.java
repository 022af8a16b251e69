package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three workers and two commands in Linux network namespaces of their own. Cables between them are cut on both sides or one, are slow or lose
 * packets, and workers are killed. No other worker ends; a command gives the same result, or says why not. Needs root, {@code ip} and {@code tc}.
 * {@code -Dcluster.schedules=N} runs more.
 */
@Tag("slow")
class NamespacesIT {
    @RegisterExtension
    static final TestWatcher LOGS = JvmCluster.logsOfFailures();

    private static final int WORKERS = 3;
    /** Hosts of the commands. */
    private static final int COMMAND = 4;

    /** Names unique to this run, since another one may be in progress. */
    private static final String BRIDGE = "ssim" + ProcessHandle.current().pid() % 100_000;

    @TempDir
    static Path folder;

    private static final Set<List<Integer>> CUTS = new HashSet<>();
    private static final Set<Integer> NARROW = new HashSet<>();
    private static final Set<Integer> KILLED = new HashSet<>();
    private static final List<Jvm> MEMBERS = new ArrayList<>();
    private static JvmCluster cluster;

    @BeforeAll
    static void startThree() throws Exception {
        assumeTrue(canMakeNetworks(), "skipped: no root, ip or tc");
        ip("link add " + BRIDGE + " type bridge");
        ip("link set " + BRIDGE + " up");
        for (int i = 1; i <= COMMAND; i++) {
            ip("netns add " + name(i));
            ip("link add " + name(i) + " type veth peer name inside netns " + name(i));
            ip("link set " + name(i) + " master " + BRIDGE + " up");
            ip("-n " + name(i) + " addr add " + address(i) + "/24 dev inside");
            ip("-n " + name(i) + " link set inside up");
            ip("-n " + name(i) + " link set lo up");
        }
        cluster = JvmCluster.plain(folder);
        for (int i = 1; i <= WORKERS; i++) {
            MEMBERS.add(worker(i));
            assertThat(MEMBERS.get(i - 1).listening()).isEqualTo(place(i));
        }
    }

    @AfterAll
    static void endAll() throws Exception {
        Jvm.closeAll();
        if (canMakeNetworks()) {
            for (int i = 1; i <= COMMAND; i++) {
                run("ip netns del " + name(i));
            }
            run("ip link del " + BRIDGE);
        }
    }

    private static boolean canMakeNetworks() throws Exception {
        return Path.of("/usr/sbin/ip").toFile().canExecute()
                && run("ip netns add " + name(0))
                && run("tc -n " + name(0) + " qdisc add dev lo root tbf rate 256kbit burst 2kb latency 3s")
                        & run("ip netns del " + name(0));
    }

    private static String name(int i) {
        return BRIDGE + "-" + i;
    }

    private static String address(int i) {
        return "10.77.0." + i;
    }

    private static String place(int i) {
        return address(i) + ":17355";
    }

    private static boolean run(String command) throws IOException, InterruptedException {
        return new ProcessBuilder(command.split(" "))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private static void ip(String arguments) throws IOException, InterruptedException {
        must("ip " + arguments);
    }

    private static void must(String command) throws IOException, InterruptedException {
        assertThat(run(command)).as(command).isTrue();
    }

    private static Jvm worker(int i) throws IOException {
        return cluster.startIn(
                name(i),
                "worker",
                "--threads=1",
                "--host=" + address(i),
                "--without-tls",
                "--join=" + place(1) + "," + place(2) + "," + place(3));
    }

    private static Jvm command(int contact, String file) throws IOException {
        return cluster.startIn(name(COMMAND), "run", "--json", "--out", "out", "--cluster", place(contact), file);
    }

    /** Drops everything that one host sends to another. */
    private static void cut(int from, int to) throws Exception {
        if (CUTS.add(List.of(from, to))) {
            ip("-n " + name(from) + " route add blackhole " + address(to) + "/32");
        }
    }

    /** Limits the rate from one host: packets wait, and are lost if the queue is full. */
    private static void narrow(int one, String queue) throws Exception {
        must("tc -n " + name(one) + " qdisc replace dev inside root tbf rate 256kbit burst 2kb " + queue);
        NARROW.add(one);
    }

    /** Restarts killed workers. */
    private static void mendAll() throws Exception {
        for (int one : NARROW) {
            must("tc -n " + name(one) + " qdisc del dev inside root");
        }
        NARROW.clear();
        for (List<Integer> cut : CUTS) {
            ip("-n " + name(cut.get(0)) + " route del blackhole " + address(cut.get(1)) + "/32");
        }
        CUTS.clear();
        for (int one : KILLED) {
            MEMBERS.set(one - 1, worker(one));
        }
        KILLED.clear();
    }

    private static void assertWholeAndUnharmed() throws Exception {
        Awaitility.await()
                .atMost(3, TimeUnit.MINUTES)
                .pollInterval(2, TimeUnit.SECONDS)
                .untilAsserted(() -> {
                    Jvm run = command(1, "short.yaml");
                    assertThat(run.awaitEnd()).as(run.err()).isZero();
                    assertThat(run.err()).contains(" 3 members");
                    assertThat(JvmCluster.withoutWallTimes(run.out())).isEqualTo(cluster.runHere("short.yaml"));
                });
        assertThat(MEMBERS).allMatch(Jvm::isAlive);
    }

    @Test
    void pairThatDoesNotHearEachOtherLosesOneForAWhile() throws Exception {
        int before = count("is no longer in the cluster");
        cut(2, 3);
        cut(3, 2);
        MEMBERS.get(0).awaitLog("is no longer in the cluster", before + 1);
        mendAll();

        assertWholeAndUnharmed();
    }

    /** Like a misconfigured firewall: the removed worker keeps trying, and rejoins when it can. */
    @Test
    void pairThatDoesNotHearEachOtherForLongLosesOneForLong() throws Exception {
        cut(2, 3);
        cut(3, 2);
        Awaitility.await()
                .atMost(3, TimeUnit.MINUTES)
                .untilAsserted(() ->
                        assertThat(MEMBERS).anyMatch(member -> member.err().contains("looking for it in 10 s")));
        Jvm run = command(1, "short.yaml");
        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(MEMBERS).allMatch(Jvm::isAlive);
        mendAll();

        assertWholeAndUnharmed();
    }

    @Test
    void lossInOneDirectionEndsNoWorker() throws Exception {
        int before = count("is no longer in the cluster");
        cut(3, 2);
        MEMBERS.get(0).awaitLog("is no longer in the cluster", before + 1);
        mendAll();

        assertWholeAndUnharmed();
    }

    private static int count(String text) {
        return MEMBERS.get(0).err().split(text, -1).length - 1;
    }

    @Test
    void commandBehindAFirewallGoesOnByAnother() throws Exception {
        cut(COMMAND, 2);
        cut(COMMAND, 3);
        Jvm run = command(1, "sweep.yaml");
        run.awaitErr("connected to the cluster at " + place(1));
        mendAll();
        cut(COMMAND, 1);

        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(JvmCluster.withoutWallTimes(run.out())).isEqualTo(cluster.runHere("sweep.yaml"));
        assertThat(run.err()).containsPattern("continuing through the worker at 10\\.77\\.0\\.[23]:17355");
        mendAll();
        assertWholeAndUnharmed();
    }

    @Test
    void workerWithoutHostIsRefusedAtOnceAndEndsNobody() throws Exception {
        Jvm lost = cluster.startIn(name(COMMAND), "worker", "--threads=1", "--join", place(1));

        assertThat(lost.awaitEnd()).isEqualTo(1);
        assertThat(lost.err())
                .contains("could not reach this one at 127.0.0.1; set --host to a name or address at which they");
        assertWholeAndUnharmed();
    }

    /**
     * {@code -Dcluster.first=SEED} sets the first seed, {@code -Dcluster.minutes=N} starts no schedule after that time, 2 minutes by default; the
     * last line says how to continue.
     */
    @Test
    @Timeout(value = 4, unit = TimeUnit.HOURS)
    void scheduleOfFaultsEndsNoWorkerAndChangesNoResult() throws Exception {
        Map<String, String> expected = new LinkedHashMap<>();
        for (String file : List.of("sweep.yaml", "short.yaml")) {
            expected.put(file, cluster.runHere(file));
        }
        int first = Integer.getInteger("cluster.first", 0);
        int seed = first;
        long endNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(Integer.getInteger("cluster.minutes", 2));
        while (seed < first + Integer.getInteger("cluster.schedules", 20) && System.nanoTime() < endNanos) {
            List<String> faults = new ArrayList<>();
            try {
                System.out.println("schedule " + seed + ": " + outcome(new SplittableRandom(seed), expected, faults));
            } catch (AssertionError | ConditionTimeoutException failure) {
                throw new AssertionError(
                        "schedule " + seed + " of " + faults + "; again by -Dcluster.schedules=1 -Dcluster.first="
                                + seed,
                        failure);
            }
            seed++;
        }
        System.out.println("no worker ended, no result differs; go on by -Dcluster.first=" + seed);
    }

    /** How each command ended, and after which faults. */
    private static String outcome(SplittableRandom random, Map<String, String> expected, List<String> faults)
            throws Exception {
        Map<String, Jvm> commands = new LinkedHashMap<>();
        for (String file : expected.keySet()) {
            commands.put(file, command(random.nextInt(1, COMMAND), file));
        }
        int unmended = 0;
        for (int left = random.nextInt(1, 9);
                left > 0 && commands.values().stream().anyMatch(Jvm::isAlive);
                left--) {
            faults.add(fault(random));
            Thread.sleep(random.nextInt(500, 9_000));
            unmended++;
            // A worker that finds no cluster within its timeout should end.
            if (unmended == 3 || random.nextInt(3) > 0) {
                mendAll();
                unmended = 0;
                Thread.sleep(random.nextInt(500, 6_000));
            }
        }
        mendAll();
        StringBuilder ends = new StringBuilder(faults.toString());
        for (Map.Entry<String, Jvm> each : commands.entrySet()) {
            Jvm run = each.getValue();
            int status = run.awaitEnd();
            ends.append(", ")
                    .append(each.getKey())
                    .append(" ended with status ")
                    .append(status);
            if (status == 0) {
                assertThat(JvmCluster.withoutWallTimes(run.out())).isEqualTo(expected.get(each.getKey()));
            } else {
                assertThat(status).as(run.err()).isEqualTo(1);
                assertThat(run.err())
                        .containsPattern(
                                "no worker has been heard for|has heard no worker for|has had no coordinator for|members were lost");
            }
        }
        assertWholeAndUnharmed();
        return ends.toString();
    }

    private static String fault(SplittableRandom random) throws Exception {
        int one = random.nextInt(1, COMMAND + 1);
        int another = 1 + (one - 1 + random.nextInt(1, COMMAND)) % COMMAND;
        switch (random.nextInt(6)) {
            case 0 -> {
                cut(one, another);
                return one + " is not heard by " + another;
            }
            case 1, 2 -> {
                cut(one, another);
                cut(another, one);
                return one + " and " + another + " are cut";
            }
            case 3 -> {
                narrow(one, "latency 3s");
                return one + " is slow";
            }
            case 4 -> {
                narrow(one, "limit 4kb");
                return one + " loses packets";
            }
            default -> {
                int victim = Math.min(one, WORKERS);
                if (!KILLED.isEmpty()) {
                    return "nothing";
                }
                MEMBERS.get(victim - 1).kill();
                KILLED.add(victim);
                return victim + " is killed";
            }
        }
    }
}
