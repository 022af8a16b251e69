package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three workers and commands, each on a network of its own that Linux makes, with cables between them that are cut, for both sides or for one. No worker
 * ends; a command comes to the same result, or says why not. Needs root and {@code ip}. {@code -Dcluster.schedules=N} runs more.
 */
@Tag("slow")
class NamespacesIT {
    @RegisterExtension
    static final TestWatcher LOGS = JvmCluster.logsOfFailures();

    private static final int WORKERS = 3;
    /** Where commands are. */
    private static final int COMMAND = 4;

    /** Names of one run: another one may be under way. */
    private static final String BRIDGE = "ssim" + ProcessHandle.current().pid() % 100_000;

    @TempDir
    static Path folder;

    private static final Set<List<Integer>> CUTS = new HashSet<>();
    private static final List<Jvm> MEMBERS = new ArrayList<>();
    private static JvmCluster cluster;

    @BeforeAll
    static void startThree() throws Exception {
        assumeTrue(canMakeNetworks(), "skipped: no root, or no ip");
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
            MEMBERS.add(worker(i, "--host", address(i), "--without-tls", i == 1 ? "--seed" : "--join=" + place(1)));
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
                && run("ip netns del " + name(0));
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
        assertThat(run("ip " + arguments)).as(arguments).isTrue();
    }

    private static Jvm worker(int i, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("worker", "--threads", "1"));
        all.addAll(List.of(arguments));
        return cluster.startIn(name(i), all.toArray(String[]::new));
    }

    private static Jvm command(int contact, String file) throws IOException {
        return cluster.startIn(name(COMMAND), "run", "--json", "--out", "out", "--cluster", place(contact), file);
    }

    /** What one sends to another is lost. */
    private static void cut(int from, int to) throws Exception {
        if (CUTS.add(List.of(from, to))) {
            ip("-n " + name(from) + " route add blackhole " + address(to) + "/32");
        }
    }

    private static void mendAll() throws Exception {
        for (List<Integer> cut : CUTS) {
            ip("-n " + name(cut.get(0)) + " route del blackhole " + address(cut.get(1)) + "/32");
        }
        CUTS.clear();
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

    /** As behind a firewall that is set wrongly: the one that goes tries again and again, and comes back when it can. */
    @Test
    void pairThatDoesNotHearEachOtherForLongLosesOneForLong() throws Exception {
        cut(2, 3);
        cut(3, 2);
        Awaitility.await()
                .atMost(3, TimeUnit.MINUTES)
                .untilAsserted(() ->
                        assertThat(MEMBERS).anyMatch(member -> member.err().contains("looks for it in 10 s")));
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
        assertThat(run.err()).containsPattern("goes on by the worker at 10\\.77\\.0\\.[23]:17355");
        mendAll();
        assertWholeAndUnharmed();
    }

    @Test
    void workerWithoutHostIsRefusedAtOnceAndEndsNobody() throws Exception {
        Jvm lost = worker(COMMAND, "--join", place(1));

        assertThat(lost.awaitEnd()).isEqualTo(1);
        assertThat(lost.err())
                .contains("could not reach this one at 127.0.0.1; set --host to the name or address by which they");
        assertWholeAndUnharmed();
    }

    @Test
    void cutsAtRandomEndNoWorker() throws Exception {
        String expected = cluster.runHere("sweep.yaml");
        for (int seed = 0; seed < Integer.getInteger("cluster.schedules", 1); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Jvm run = command(1, "sweep.yaml");
            Jvm other = command(2, "short.yaml");
            while (run.isAlive()) {
                int one = random.nextInt(1, COMMAND + 1);
                int another = random.nextInt(1, COMMAND + 1);
                if (one != another) {
                    cut(one, another);
                    if (random.nextBoolean()) {
                        cut(another, one);
                    }
                }
                Thread.sleep(random.nextInt(500, 12_000));
                if (random.nextInt(3) > 0) {
                    mendAll();
                    Thread.sleep(random.nextInt(500, 8_000));
                }
            }
            mendAll();
            for (Jvm each : List.of(run, other)) {
                int status = each.awaitEnd();
                System.out.println("schedule " + seed + " ended with status " + status);
                if (status == 0) {
                    assertThat(JvmCluster.withoutWallTimes(each.out()))
                            .isEqualTo(each == run ? expected : cluster.runHere("short.yaml"));
                } else {
                    assertThat(status).as(each.err()).isEqualTo(1);
                    assertThat(each.err())
                            .containsPattern(
                                    "no worker has been heard for|has had no coordinator for|members were lost");
                }
            }
            assertWholeAndUnharmed();
        }
    }
}
