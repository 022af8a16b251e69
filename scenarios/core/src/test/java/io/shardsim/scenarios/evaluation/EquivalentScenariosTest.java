package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Equivalent scenarios have the same result: keys in another order, one value under {@code sweep}, more threads. {@code -Dequivalence.seeds=N} draws
 * more scenarios.
 */
@Tag("slow")
class EquivalentScenariosTest {
    private static final int RANKS_MAX = 16;
    private static final Pattern BLOCK = Pattern.compile("(\\w+): \\{(.*)}");
    private static final Pattern MICRO_BATCH = Pattern.compile(", micro_batch: (\\d+)");

    @Test
    void sameQuestionHasTheSameAnswer() throws Exception {
        int compared = 0;
        int seeds = Integer.getInteger("equivalence.seeds", 40);
        for (int seed = 0; seed < seeds; seed++) {
            ScenarioPoint point = RandomScenario.point(seed).orElse(null);
            if (point == null || point.cluster().worldSize() > RANKS_MAX) {
                continue;
            }
            String text = RandomScenario.text(seed);
            RunResult asWritten = run(point, new RunOptions(1, true));
            assertSame(
                    asWritten, run(only(shuffled(text, seed)), new RunOptions(1, true)), "keys in another order", text);
            assertSame(asWritten, run(only(swept(text)), new RunOptions(1, true)), "a sweep of one", text);
            assertSame(asWritten, run(point, new RunOptions(3, true).sharedBy(1)), "three threads", text);
            compared++;
        }
        assertThat(compared).isGreaterThan(seeds / 4);
    }

    private static RunResult run(ScenarioPoint point, RunOptions options) throws InterruptedException {
        try (PointSimulation simulation = new PointSimulation(options)) {
            return simulation.run(point);
        }
    }

    private static void assertSame(RunResult one, RunResult other, String what, String text) {
        assertThat(other.digest()).as("%s, %s", what, text).isEqualTo(one.digest());
        assertThat(other.training()).as("%s, %s", what, text).isEqualTo(one.training());
        assertThat(other.remedy()).as("%s, %s", what, text).isEqualTo(one.remedy());
    }

    private static ScenarioPoint only(String text) throws InputException {
        List<ScenarioPoint> points =
                ScenarioReader.readText("equivalent.yaml", text).points();
        assertThat(points).hasSize(1);
        return points.get(0);
    }

    /** Returns the blocks, and the keys of each, in another order. */
    private static String shuffled(String text, long seed) {
        Random random = new Random(seed);
        List<String> blocks = new ArrayList<>();
        for (String line : text.split("\n")) {
            Matcher block = BLOCK.matcher(line);
            blocks.add(
                    block.matches()
                            ? block.group(1) + ": {"
                                    + String.join(", ", shuffled(block.group(2).split(", "), random)) + "}"
                            : line);
        }
        return String.join("\n", shuffled(blocks.toArray(String[]::new), random)) + "\n";
    }

    private static List<String> shuffled(String[] each, Random random) {
        List<String> list = new ArrayList<>(Arrays.asList(each));
        Collections.shuffle(list, random);
        return list;
    }

    /** Returns the scenario with the micro-batch, or the nodes of a bare collective, as the only value of a sweep. */
    private static String swept(String text) {
        Matcher microBatch = MICRO_BATCH.matcher(text);
        return microBatch.find()
                ? microBatch.replaceFirst("") + "sweep: {training.micro_batch: [" + microBatch.group(1) + "]}\n"
                : text.replaceFirst(", nodes: (\\d+)(.*)\n", "$2\n")
                        + text.replaceFirst("(?s).*, nodes: (\\d+).*", "sweep: {cluster.nodes: [$1]}\n");
    }
}
