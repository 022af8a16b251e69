package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of three worker JVMs that is taken apart: each test leaves it smaller. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("slow")
class ClusterLossIT {
    @RegisterExtension
    static final TestWatcher LOGS = JvmCluster.logsOfFailures();

    @TempDir
    static Path folder;

    private static JvmCluster cluster;
    private static Jvm first;
    private static Jvm second;
    private static Jvm third;

    @BeforeAll
    static void startThree() throws Exception {
        cluster = JvmCluster.patient(folder);
        List<Jvm> members = cluster.threeMembers();
        first = members.get(0);
        second = members.get(1);
        third = members.get(2);
    }

    @AfterAll
    static void endAll() throws Exception {
        Jvm.closeAll();
    }

    /** The first member runs points and coordinates; the others must do without both. */
    @Test
    @Order(1)
    void sweepLosesNothingWhenTheCoordinatorIsKilledHalfWay() throws Exception {
        assertThat(first.err()).contains("coordinates the cluster");
        String log = first.err();
        int before = log.split(": runs run-", -1).length - 1;

        Jvm run = cluster.run(first.listening(), "sweep.yaml", "--no-fast-forward");
        // It has finished some of its points and is running the next.
        first.awaitLog(": runs run-", before + 3);
        first.kill();

        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(JvmCluster.withoutWallTimes(run.out()))
                .isEqualTo(cluster.runHere("sweep.yaml", "--no-fast-forward"));
        assertThat(second.err() + third.err()).contains("coordinates the cluster");
    }

    /** Without --restart the run ends and names the loss; with it the run restarts on the remaining members and gives the same result. */
    @Test
    @Order(2)
    void splitRunThatLosesAMemberEndsOrBeginsAgain() throws Exception {
        String contact = second.listening();
        String expected = cluster.runHere("split.yaml", "--no-fast-forward", "--threads", "1");

        Jvm lost = runThatLosesAMember(contact, 1, "split.yaml", "--split");
        assertThat(lost.err()).contains("--restart");

        Jvm restarted = runThatLosesAMember(contact, 0, "split.yaml", "--split", "--restart");
        assertThat(JvmCluster.withoutWallTimes(restarted.out())).isEqualTo(expected);
    }

    /**
     * Waits until the run has ended with that status, and the cluster has removed the member: a newcomer could reach neither, and would count as cut
     * off.
     */
    private static Jvm runThatLosesAMember(String contact, int status, String... arguments) throws Exception {
        Jvm victim = cluster.worker("--join", contact);
        String lost = victim.listening();
        Jvm run = cluster.run(contact, arguments);
        victim.awaitLog("runs part ", 1);
        victim.kill();
        assertThat(run.awaitEnd()).as(run.err()).isEqualTo(status);
        third.awaitLog("member " + lost + " is no longer in the cluster", 1);
        return run;
    }

    /** Also if another has just been killed, so that the remaining one could not tell whether it is cut off. */
    @Test
    @Order(3)
    void workerThatIsAskedToLeavesAndItsClusterGoesOn() throws Exception {
        // Whether or not the tests before this one ran.
        first.kill();
        third.awaitLog("member " + first.listening() + " is no longer in the cluster", 1);
        Jvm victim = cluster.worker("--join", third.listening());
        victim.listening();
        victim.kill();
        second.end();
        assertThat(second.awaitEnd()).isEqualTo(128 + 15);
        third.awaitLog("member " + second.listening() + " is no longer in the cluster", 1);

        Jvm run = cluster.run(third.listening(), "short.yaml");
        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(run.err()).contains("1 member\n");
    }

    @Test
    @Order(4)
    void clusterThatIsNotThereIsToldAtOnce() throws Exception {
        String contact = third.listening();
        third.kill();
        Jvm run = cluster.run(contact, "short.yaml");

        assertThat(run.awaitEnd()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains("no worker has been heard for 2 s at " + contact + " (" + contact
                        + ": nothing is listening there); start one with: shardsim worker --seed");
    }
}
