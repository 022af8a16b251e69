package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.NotSerializableException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages between members arrive unchanged, and nothing else arrives at all. */
class ClusterProtocolTest {
    private static final String SWEEP = """
            scenario: crossing
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 64, activation_checkpointing: full, precision: fp16}
            sweep:
              strategy: [{kind: mics, shard_group: 8}, {kind: ddp}, {kind: zero3}]
              training.micro_batch: [1, 4]
            """;
    private static final String BARE = """
            scenario: bare
            cluster: {gpu: a100-80gb, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 4, nic: 100 Gbit/s, nodes: 2}
            workload: {collective: all_reduce, size: 16 MiB}
            collectives: {algorithm: ring, chunk: 1 MiB}
            """;

    private final WireCodec contents = ClusterProtocol.contentCodec();

    @Test
    @Tag("slow")
    void questionsAndAnswersArriveAsTheyWere() throws Exception {
        List<ScenarioPoint> points =
                new ArrayList<>(ScenarioReader.readText("sweep", SWEEP).points());
        points.addAll(ScenarioReader.readText("bare", BARE).points());
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (ScenarioPoint point : points) {
                Question question = new Question(point, new RunOptions(3, true));
                assertThat(contents.unpack(contents.pack(question), Question.class))
                        .isEqualTo(question);

                Answer answer = new Answer.Done(simulation.run(point));
                assertThat(contents.unpack(contents.pack(answer), Answer.class)).isEqualTo(answer);
            }
        }
        Answer tooLarge = new Answer.TooLarge("has 9 operations > 8", List.of("training.global_batch"));
        assertThat(contents.unpack(contents.pack(tooLarge), Answer.class)).isEqualTo(tooLarge);

        Answer failed = new Answer.Failed("Node[0].Gpu[1]: größer als erlaubt");
        assertThat(contents.unpack(contents.pack(failed), Answer.class)).isEqualTo(failed);
    }

    @Test
    void pointThatDoesNotFitCrossesToo() throws Exception {
        ScenarioPoint point = ScenarioReader.readText("large", SWEEP.replace("gpt2-1.5b", "gpt3-175b"))
                .points()
                .get(2);
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            RunResult result = simulation.run(point);
            assertThat(result.fits()).isFalse();
            Answer answer = new Answer.Done(result);
            assertThat(contents.unpack(contents.pack(answer), Answer.class)).isEqualTo(answer);
        }
    }

    @Test
    void everyMessageHasANumber() {
        assertThat(ClusterProtocol.messages()).hasSizeGreaterThan(10);
        assertThat(new WireCodec(List.of(Answer.class)).types()).contains(RunResult.class);
    }

    @Test
    void typeThatNobodyNamedIsNotWritten() {
        assertThatThrownBy(() -> contents.encode(new BitSet()))
                .hasMessageContaining("java.util.BitSet")
                .hasMessageContaining("not registered");
        assertThatThrownBy(() -> contents.encode(
                        new Question(withValue(point(), Map.of("x", new BitSet())), new RunOptions(1, true))))
                .hasMessageContaining("BitSet");
    }

    @Test
    void messageOfAnotherKindIsRefused() {
        byte[] packed = contents.pack(new Answer.Failed("no"));
        assertThatThrownBy(() -> contents.unpack(packed, Question.class))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageContaining("Question");
    }

    @Test
    void changedBytesAreRefused() {
        byte[] bytes = contents.encode(new Question(point(), new RunOptions(1, true)));
        Random source = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] changed = bytes.clone();
            changed[source.nextInt(changed.length)] ^= (byte) (1 + source.nextInt(255));
            assertThatThrownBy(() -> contents.decode(changed)).isInstanceOf(NotSerializableException.class);
        }
    }

    /** A stranger that can compute the checksum can still only send what decodes to a registered type, in memory of its own size. */
    @Test
    @Tag("slow")
    void forgedBytesAreRefusedOrDecodeToARegisteredType() {
        byte[] bytes = contents.encode(new Question(point(), new RunOptions(1, true)));
        Random source = new Random(2);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] forged = Arrays.copyOf(bytes, 5 + source.nextInt(bytes.length));
            for (int j = source.nextInt(6); j >= 0; j--) {
                forged[4 + source.nextInt(forged.length - 4)] = (byte) source.nextInt();
            }
            sign(forged);
            try {
                assertThat(contents.types()).contains(contents.decode(forged).getClass());
            } catch (NotSerializableException expected) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(15_000);
    }

    @Test
    void lengthsAreNotBelieved() {
        for (int id : new int[] {22, 23, 24}) {
            // A list, a map or bytes of 2^31 - 1 elements, in ten bytes: Kryo writes a class as its number plus two.
            byte[] bytes = {0, 0, 0, 0, (byte) id, -1, -1, -1, -1, 7};
            sign(bytes);
            assertThatThrownBy(() -> contents.decode(bytes))
                    .isInstanceOf(NotSerializableException.class)
                    .hasMessageContaining("length 2147483647 >");
        }
        byte[] bomb = contents.pack(new Answer.Failed("x".repeat(1 << 20)));
        ByteBuffer.wrap(bomb).putInt(Integer.MAX_VALUE);
        assertThatThrownBy(() -> contents.unpack(bomb, Answer.class))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageContaining("2147483647 bytes >");
    }

    private static void sign(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 4, bytes.length - 4);
        ByteBuffer.wrap(bytes).putInt((int) crc.getValue());
    }

    private static ScenarioPoint point() {
        try {
            return ScenarioReader.readText("bare", BARE).points().get(0);
        } catch (io.shardsim.simulator.yaml.InputException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static ScenarioPoint withValue(ScenarioPoint point, Map<String, Object> values) {
        return new ScenarioPoint(
                point.scenario(),
                values,
                point.cluster(),
                point.task(),
                point.collectives(),
                point.notes(),
                point.figures(),
                point.given());
    }
}
