package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code fits} as a stranger tries it. */
class FitsCommandTest {
    private final Shell shell = new Shell(Main.services());

    @Test
    @Tag("slow")
    void eachWayHasItsGpusAndItsPrice() {
        assertThat(shell.shardsim("fits", "llama3-8b", "--gpu", "A100 80GB", "--lora", "--sequence-length", "2048"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out())
                .contains("llama3-8b on a100-80gb: fewest GPUs", "1  LoRA of rank 16, FSDP2", "2  QLoRA of rank 16")
                .contains("USD an hour on demand (")
                .doesNotContain("Megatron");
        assertThat(shell.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Terminal.width()));
        assertThat(shell.shardsim(
                        "fits", "llama3-8b", "--gpu", "a100-80gb", "--lora", "--sequence-length", "2048", "--json"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains("\"gpus\" : 1", "\"usd_per_billion_tokens\" : ");
    }

    @Test
    void aRowIsPrintedAsAScenario() {
        assertThat(shell.shardsim("fits", "gpt2-1.5b", "--instance", "p4d.24xlarge", "--scenario", "1"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out())
                .startsWith("scenario: gpt2-1.5b\nmodel: gpt2-1.5b\ncluster:\n")
                .contains("kind: fsdp2");
    }

    @Test
    void aModelMayBeCalledAsOnTheHub() {
        String hub = "meta-llama/Llama-3.1-8B-Instruct";
        assertThat(shell.shardsim("fits", hub, "--instance", "p4d.24xlarge", "--scenario", "1"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).startsWith("scenario: llama3-8b\nmodel: llama3-8b\n");
    }

    @Test
    void whatFitsNowhereHasItsOwnStatus() {
        assertThat(shell.shardsim("fits", "gpt3-175b", "--gpu", "t4", "--max-gpus", "2"))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).contains("FSDP2: does not fit on 2 GPUs.");
    }

    @ParameterizedTest(name = "fits {0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "lama3-8b --gpu h100 | did you mean llama3-8b?",
                "llama3-8b --gpu mi300x | AMD GPU",
                "meta-llama/Llama-3.1-9B --gpu h100 | did you mean llama-3.1-8b?",
                "org/unknown-8b --gpu h100 | shardsim catalog models lists them; shardsim import reads a config.json",
                "llama3-8b --instance p5.96xlarge | not in the catalog",
                "llama3-8b | write --gpu or --instance",
                "llama3-8b --gpu h100 --instance p4d.24xlarge | write --gpu or --instance",
                "gpt2-1.5b --gpu h100 --sequence-length 4096 | not from 1 to 1024, the positions of gpt2-1.5b",
                "gpt2-1.5b --gpu h100 --max-gpus 0 | is not 1 or more",
                "gpt2-1.5b --gpu h100 --scenario 99 | --scenario 99 is not from 1 to",
            })
    void whatCannotBeAskedSaysWhatCan(String arguments, String words) {
        assertThat(shell.shardsim(("fits " + arguments.strip()).split(" "))).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains(words.strip());
        assertThat(shell.out()).isEmpty();
    }
}
