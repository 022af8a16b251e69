package io.shardsim.scenarios.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.api.InvalidScenarioException;
import io.shardsim.scenarios.api.Results;
import io.shardsim.scenarios.api.Scenario;
import io.shardsim.scenarios.api.Simulator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The features of each kind of strategy, as listed in {@code docs/model.md}: each cell is a scenario that is read and run, and the parallelisms of a
 * kind are run together. With {@code -Ddocs.write} the table is rewritten.
 */
@Tag("slow")
class StrategyAxesTest {
    private static final Path DOCUMENT = Path.of("../docs/model.md");
    private static final Pattern TABLE = Pattern.compile("<!-- axes -->\n.*?<!-- end -->\n", Pattern.DOTALL);

    /** A feature, and the setting that requests it. */
    private enum Axis {
        TENSOR("TP", "tensor_parallel: 2", ""),
        CONTEXT("CP", "context_parallel: 2", ""),
        PIPELINE("PP", "pipeline_parallel: 2", ""),
        EXPERTS("EP", "expert_parallel: 2", ""),
        SHARD_GROUP("shard group", "shard_group: 2", ""),
        PURE("`bf16_pure`", "", "precision: bf16_pure"),
        LORA("LoRA", "", ""),
        OPTIMIZER("offload of the optimizer", "offload_optimizer: true", ""),
        ACTIVATIONS("of activations", "", "activation_offload: true");

        private static final List<Axis> SPLITS = List.of(TENSOR, CONTEXT, PIPELINE, EXPERTS, SHARD_GROUP);

        private final String title;
        private final String strategy;
        private final String training;

        Axis(String title, String strategy, String training) {
            this.title = title;
            this.strategy = strategy;
            this.training = training;
        }
    }

    private static String scenario(String kind, List<Axis> axes) {
        String strategy = String.join(
                ", ",
                Stream.concat(Stream.of("kind: " + kind), axes.stream().map(axis -> axis.strategy))
                        .filter(part -> !part.isEmpty())
                        .toList());
        boolean sequence = axes.contains(Axis.TENSOR) && axes.contains(Axis.EXPERTS);
        String training = String.join(
                ", ",
                axes.stream()
                        .map(axis -> axis.training)
                        .filter(part -> !part.isEmpty())
                        .toList());
        return """
                scenario: axes
                model: {hidden: 512, layers: 4, heads: 8, kv_heads: 8, ffn: 1024, gated_ffn: true, vocab: 32000, tied_embeddings: false%s}
                cluster: {instance: p4d.24xlarge, nodes: 2}
                strategy: {%s%s}
                training: {sequence_length: 1024, global_batch: 64, micro_batch: 2, attention: flash, activation_checkpointing: full%s}
                %s
                """.formatted(
                axes.contains(Axis.EXPERTS) ? ", experts: 4, experts_per_token: 2, expert_ffn: 512" : "",
                strategy,
                sequence ? ", sequence_parallel: true" : "",
                (training.isEmpty() ? "" : ", " + training) + (axes.contains(Axis.LORA) ? ", precision: bf16" : ""),
                axes.contains(Axis.LORA) ? "lora: {r: 8, target_modules: all-linear}" : "");
    }

    private static boolean runs(String kind, List<Axis> axes) throws InterruptedException {
        Results results;
        try {
            results = Simulator.onAllCores().run(Scenario.parse("axes", scenario(kind, axes)));
        } catch (InvalidScenarioException refused) {
            return false;
        }
        assertThat(results.fastest()).as("%s with %s", kind, axes).isPresent();
        return true;
    }

    @Test
    void theDocumentSaysWhatEachKindCombines() throws Exception {
        // A feature without a kind is a mistake in the setting that requests it.
        Set<Axis> missing = EnumSet.allOf(Axis.class);
        StringBuilder table = new StringBuilder("| kind |");
        for (Axis axis : Axis.values()) {
            table.append(' ').append(axis.title).append(" |");
        }
        table.append("\n|---|").append("---|".repeat(Axis.values().length)).append('\n');
        for (String kind : Strategies.kinds()) {
            List<Axis> splits = new ArrayList<>();
            table.append("| `").append(kind).append("` |");
            for (Axis axis : Axis.values()) {
                boolean has = runs(kind, List.of(axis));
                missing.removeIf(one -> has && one == axis);
                table.append(has ? " yes |" : " |");
                if (has && Axis.SPLITS.contains(axis)) {
                    splits.add(axis);
                }
            }
            table.append('\n');
            assertThat(runs(kind, splits))
                    .as("%s with %s together", kind, splits)
                    .isTrue();
        }
        assertThat(missing).isEmpty();
        String document = Files.readString(DOCUMENT);
        String expected = TABLE.matcher(document)
                .replaceFirst(Matcher.quoteReplacement("<!-- axes -->\n" + table + "<!-- end -->\n"));
        if (System.getProperty("docs.write") != null) {
            Files.writeString(DOCUMENT, expected);
        } else {
            assertThat(document)
                    .as("run this test with -Ddocs.write to write the table anew")
                    .contains("<!-- axes -->")
                    .isEqualTo(expected);
        }
    }
}
