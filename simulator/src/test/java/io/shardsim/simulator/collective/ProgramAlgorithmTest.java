package io.shardsim.simulator.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Collectives written as rounds in a file: the members' programs, and the problems reported when the file is read. */
class ProgramAlgorithmTest {
    private static final Transport TRANSPORT = Groups.transport(4, 1 << 12, 2);

    @ParameterizedTest
    @EnumSource(
            value = CollectiveKind.class,
            names = {"ALL_GATHER", "REDUCE_SCATTER", "ALL_REDUCE"})
    void ringOfAFileIsTheRing(CollectiveKind kind) {
        int[] oneOnEachNode = {0, 8, 16};
        CollectiveRequest request = new CollectiveRequest(kind, 123_457, oneOnEachNode, Groups.cluster(3), TRANSPORT);
        CollectiveAlgorithm data = named("ring-program", kind);
        CollectiveAlgorithm ring = named("ring", kind);
        for (int member = 0; member < request.size(); member++) {
            for (int channel = 0; channel < ring.channels(request); channel++) {
                assertThat(data.program(request, member, channel)).isEqualTo(ring.program(request, member, channel));
            }
        }
    }

    private static CollectiveAlgorithm named(String name, CollectiveKind kind) {
        return CollectiveCatalog.shipped().entries().stream()
                .filter(entry ->
                        entry.kinds().contains(kind) && entry.algorithm().name().equals(name))
                .findFirst()
                .orElseThrow()
                .algorithm();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            member ^ 1        | all             | 4:31: with 3 members, member 2 sends to 3 in round 0, which is outside of the group; add members: power_of_two, or write + or -, which go around
            member + round    | all             | 4:31: with 2 members, member 0 sends to 0 in round 0; each sends to another, and receives from one
            1                 | all             | 4:31: with 2 members, member 1 sends to 1 in round 0; each sends to another, and receives from one
            member + member + 1 | all           | 4:31: with 2 members, member 1 sends to 1 in round 0; each sends to another, and receives from one
            member + 1        | to              | 4:49: with 2 members, member 0 sends shard 1 in round 0, which it does not hold; write another one, or all
            member + 1        | member          | 4:49: with 3 members, member 0 sends shard 0 in round 1, which its receiver has; write another one, or all
            member + 1        | 7               | 4:49: with 2 members, member 0 sends shard 7 in round 0, which it does not hold; write another one, or all
            """)
    void roundsThatCannotBeAreRefused(String to, String send, String problem) {
        assertRefused(CollectiveKind.ALL_GATHER, "all_gather", "members - 1", to, send, problem);
    }

    @Test
    void endInWhichSomebodyLacksSomethingIsRefused() {
        assertRefused(
                CollectiveKind.ALL_GATHER,
                "all_gather",
                "1",
                "member + 1",
                "all",
                "with 3 members, member 0 ends without shard 1; add rounds, or send to other members");
        assertRefused(
                CollectiveKind.REDUCE_SCATTER,
                "reduce_scatter",
                "1",
                "member + 1",
                "all",
                "with 3 members, member 0 never sends its part of shard 2; add rounds, or send to other members");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            member         | with 2 members, member 0 sends shard 0 in round 0, which its receiver does not bring home; write another one, or all
            to             | with 3 members, member 0 sends shard 1 in round 0, which it owns or sends later; write another one, or all
            """)
    void sumsThatDoNotComeHomeAreRefused(String send, String problem) {
        assertRefused(CollectiveKind.REDUCE_SCATTER, "reduce_scatter", "members - 1", "member + 1", send, problem);
    }

    @Test
    void kindWithoutItsRoundsIsRefused() {
        assertRefused(
                CollectiveKind.ALL_REDUCE,
                "all_gather",
                "members - 1",
                "member + 1",
                "all",
                "program has no reduce_scatter, which all_reduce needs; add it, or remove all_reduce from kinds");
        assertRefused(
                CollectiveKind.BROADCAST,
                "all_gather",
                "members - 1",
                "member + 1",
                "all",
                "program has no broadcast, which broadcast needs; add it, or remove broadcast from kinds");
    }

    @Test
    void moreRoundsThanCanBeLookedAtAreRefused() {
        assertRefused(
                CollectiveKind.ALL_GATHER,
                "all_gather",
                "999999",
                "member + 1",
                "all",
                "999999 rounds times members > 262144; write fewer");
    }

    private static void assertRefused(
            CollectiveKind kind, String half, String rounds, String to, String send, String problem) {
        String text = "name: x\nprogram:\n  " + half + ":\n  - {rounds: " + rounds + ", to: " + to + ", send: " + send
                + "}\n";
        assertThatThrownBy(() -> new ProgramAlgorithm(descriptor(text), kind))
                .isInstanceOf(CatalogException.class)
                .hasMessageStartingWith("collectives/x.yaml:")
                .hasMessageEndingWith(problem);
    }

    private static Descriptor descriptor(String text) throws IOException {
        Problems problems = new Problems("collectives/x.yaml");
        BlockType type = BlockType.of(
                ProgramAlgorithm.KEY, Key.required("name", ScalarTypes.text("[a-z]+", "a name"), "its name"));
        Block block = (Block) Objects.requireNonNull(type.read(
                Objects.requireNonNull(
                        YamlReader.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "", problems)),
                "entry",
                problems));
        assertThat(problems.inOrder()).isEmpty();
        return new Descriptor("x", "collectives/x.yaml", block, block);
    }
}
