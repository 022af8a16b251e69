package io.shardsim.scenarios.scenario;

import static io.shardsim.scenarios.scenario.ScenarioErrorsTest.VALID;
import static io.shardsim.scenarios.scenario.ScenarioErrorsTest.problems;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Scenarios beyond the limits of the parser or the models are refused quickly, with their positions. */
class ScenarioLimitsTest {
    @Test
    void figuresBeyondWhatTheModelsBearAreRefused() {
        String pipeline = "{kind: zero1, pipeline_parallel: 2, pipeline_schedule: interleaved, model_chunks: ";
        assertThat(problems(VALID.replace("{kind: mics, shard_group: 128}", pipeline + "1629073225}")))
                .containsExactly(
                        "a.yaml:7:93: model_chunks 1629073225 > 1048576; write a whole number from 0 to 1048576");
        assertThat(problems(VALID.replace("{kind: mics, shard_group: 128}", pipeline + "1048576}")))
                .contains(
                        "a.yaml:7:44: pipeline_parallel 2 x model_chunks 1048576 > 48 layers of the model; write model_chunks 24 or less");
        assertThat(problems(VALID.replace(
                        "shard_group: 128", "tensor_parallel: 1000000, reduce_bucket_size: 7052422455400045501")))
                .containsExactly(
                        "a.yaml:7:41: tensor_parallel 1000000 does not divide world size 256; nearest divisor: 256",
                        "a.yaml:7:41: tensor_parallel 1000000 does not divide heads 64; nearest divisor: 64",
                        "a.yaml:7:70: reduce_bucket_size 7052422455400045501 > 1125899906842624; write a whole number from 0 to 1125899906842624");
        assertThat(problems(VALID.replace("nodes: 32}", "nodes: 32, nic: 9e18 B/s}")))
                .containsExactly(
                        "a.yaml:3:51: nic: rate 9e18 B/s > 1000000000000000 bytes/s; write for example 300 GB/s or 100 Gbit/s");
    }

    /** Named algorithms are checked in the plan of a step, which may be too large to write. */
    @Test
    void plansThatAreTooLargeAreToldWithTheOtherProblems() {
        String strategy = "{kind: zero2, gather_algorithm: ring, ";
        assertThat(problems(VALID.replace("{kind: mics, shard_group: 128}", strategy + "allgather_bucket_size: 58}")
                        + "sweep: {cluster.nodes: [4, 1.5]}\n"))
                .anySatisfy(problem -> assertThat(problem).startsWith("a.yaml:7:49: allgather_bucket_size 58 has "))
                .anySatisfy(problem -> assertThat(problem).startsWith("a.yaml:8:28: "));
        assertThat(problems(VALID.replace(
                        "{kind: mics, shard_group: 128}",
                        strategy + "offload_optimizer: true, overlap_comm: true, host_update_time: 16 s}")))
                .singleElement()
                .asString()
                .startsWith("a.yaml:7:94: host_update_time 16000000000000 ps x ")
                .endsWith(" parameters of a node takes more than 13 days; write a shorter one");
    }

    @Test
    void aSweepOfTooManyPointsIsRefusedBeforeItIsExpanded() {
        String axis = "[" + "1, ".repeat(999) + "1]";
        assertThat(problems(VALID + "sweep: {cluster.nodes: " + axis + ", training.micro_batch: " + axis + "}\n"))
                .containsExactly(
                        "a.yaml:8:1: sweep has 1000000 points > 10000; vary fewer keys, or split it into several files");
    }

    @Test
    void aChainOfAliasesIsRefusedWithoutBeingFollowed() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int level = 1; level < 30; level++) {
            String alias = "*a" + (level - 1);
            bomb.append("a")
                    .append(level)
                    .append(": &a")
                    .append(level)
                    .append(" [")
                    .append((alias + ", ").repeat(9))
                    .append(alias)
                    .append("]\n");
        }
        assertThat(problems(bomb.toString()))
                .hasSize(1)
                .first()
                .asString()
                .contains("makes more than 100000 values after expanding its aliases; write fewer of them");
    }

    @Test
    void deepNestingIsRefused() {
        assertThat(problems("a: " + "[".repeat(200_000)))
                .containsExactly("a.yaml:1:35: is nested deeper than 32 levels; a scenario needs five");
        assertThat(problems("- ".repeat(100_000) + "a")).hasSize(1);
    }

    @Test
    void sequencesThatWouldOverflowAreRefused() {
        assertThat(problems(VALID.replace("gpt2-30b", "llama2-70b")
                        .replace("2048", "16777216")
                        .replace("1536", "67108864\n  micro_batch: 65536")))
                .containsExactly(
                        "a.yaml:5:20: sequence_length 16777216 x micro_batch 65536 needs more than 2^60 bytes of activations; write less of one of them");
    }
}
