package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sweep over three members, one of which is killed at a random moment, possibly the coordinator or the contact of the command: the result has the
 * same bytes as an undisturbed run. A second loss would leave one worker, which may be unable to tell whether it is cut off. {@code -Dkill.rounds=N}
 * sets the number of rounds, {@code -Dkill.seed=N} the moments.
 */
@Tag("night")
@Timeout(value = 1, unit = TimeUnit.HOURS)
class KilledMembersIT {
    @TempDir
    Path folder;

    @AfterEach
    void end() throws InterruptedException {
        Jvm.closeAll();
    }

    @Test
    void sweepComesToTheSameBytes() throws Exception {
        JvmCluster cluster = JvmCluster.plain(folder);
        String expected = cluster.runHere("sweep.yaml", "--no-fast-forward");
        SplittableRandom random = new SplittableRandom(Long.getLong("kill.seed", 1));
        int rounds = Integer.getInteger("kill.rounds", 30);
        int over = 0;
        int millisMax = 10_000;
        for (int round = 0; round < rounds; round++) {
            List<Jvm> members = new ArrayList<>(cluster.threeMembers());
            String contacts = members.stream().map(Jvm::listening).collect(Collectors.joining(","));
            long beganNanos = System.nanoTime();
            Jvm run = cluster.run(contacts, "sweep.yaml", "--no-fast-forward");
            Thread.sleep(random.nextInt(millisMax));
            over += run.isAlive() ? 0 : 1;
            Jvm victim = members.remove(random.nextInt(members.size()));
            victim.kill();
            assertThat(run.awaitEnd()).as("round %d: %s", round, run.err()).isZero();
            assertThat(JvmCluster.withoutWallTimes(run.out()))
                    .as("round %d: %s", round, run.err())
                    .isEqualTo(expected);
            assertThat(members).as("round %d", round).allMatch(Jvm::isAlive);
            millisMax = (int) Math.min(millisMax, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
            Jvm.closeAll();
        }
        System.out.println(rounds + " rounds; " + over + " kills came after the end");
    }
}
