package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.io.TempDir;

/** A worker that is suspended until the others have removed it, like one whose cable is pulled for a while. */
@Tag("slow")
class RemovedMemberIT {
    @RegisterExtension
    static final TestWatcher LOGS = JvmCluster.logsOfFailures();

    @TempDir
    Path folder;

    @AfterEach
    void endAll() throws Exception {
        Jvm.closeAll();
    }

    @Test
    void workerThatFindsItsClusterAgainJoinsByItself() throws Exception {
        JvmCluster cluster = JvmCluster.plain(folder);
        List<Jvm> members = cluster.threeMembers();
        // The others have joined through it, so it has no seed to ask.
        Jvm removed = members.get(0);
        removed.signal("STOP");
        members.get(1).awaitLog("member " + removed.listening() + " is no longer in the cluster", 1);
        removed.signal("CONT");

        removed.awaitLog("belongs to the cluster again", 1);
        Jvm run = cluster.run(removed.listening(), "short.yaml");
        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(run.err()).contains("connected to the cluster at " + removed.listening() + ", 3 members");
        assertThat(JvmCluster.withoutWallTimes(run.out())).isEqualTo(cluster.runHere("short.yaml"));
        assertThat(members).allMatch(Jvm::isAlive);
    }
}
