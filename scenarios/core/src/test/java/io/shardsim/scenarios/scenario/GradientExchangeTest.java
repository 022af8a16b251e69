package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.catalog.Releases;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.yaml.InputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What each release exchanges, as listed in {@code docs/gradients.md}: every cell but the source is read off the plan of a step on 16 GPUs. With
 * {@code -Ddocs.write} the table is rewritten.
 */
class GradientExchangeTest {
    private static final Path DOCUMENT = Path.of("../docs/gradients.md");
    private static final Pattern TABLE =
            Pattern.compile("(<!-- exchange -->\n.*?\n\\|---.*?\n)(.*?)(<!-- end -->)", Pattern.DOTALL);
    /** Larger than what is exchanged of a norm or of an overflow flag. */
    private static final long SCALARS = 1_000;

    /** A step of one kind under one release, with one micro-batch and with two. */
    private record Exchange(StepPlan one, StepPlan two, long parameters, Map<String, String> settings) {
        static Exchange of(String framework, String kind) throws InputException {
            return new Exchange(
                    plan(framework, kind, 16),
                    plan(framework, kind, 32),
                    task(framework, kind, 16).model().parameters(),
                    task(framework, kind, 16).strategy().parameters());
        }

        private static ScenarioPoint point(String framework, String kind, int samples) throws InputException {
            return ScenarioReader.readText("a.yaml", """
                            scenario: exchange
                            model: {hidden: 4096, layers: 24, heads: 32, kv_heads: 32, ffn: 11008, gated_ffn: true, vocab: 32000, tied_embeddings: false}
                            framework: %s
                            cluster: {instance: p4d.24xlarge, nodes: 2}
                            training: {sequence_length: 1024, global_batch: %d, micro_batch: 1, precision: bf16}
                            strategy: {kind: %s}
                            """.formatted(framework, samples, kind))
                    .points()
                    .get(0);
        }

        private static Task.Training task(String framework, String kind, int samples) throws InputException {
            return (Task.Training) point(framework, kind, samples).task();
        }

        private static StepPlan plan(String framework, String kind, int samples) throws InputException {
            Task.Training task = task(framework, kind, samples);
            var strategy = task.strategy().create();
            return strategy.plan(task.job(point(framework, kind, samples).cluster(), strategy));
        }

        private static IntStream where(StepPlan plan, Predicate<Operation> wanted) {
            return IntStream.range(0, plan.size()).filter(i -> wanted.test(plan.operation(i)));
        }

        private static boolean reduces(Operation operation) {
            return operation instanceof Operation.Collective collective
                    && collective.label().contains("reduce")
                    && !collective.label().contains("replicas")
                    && collective.totalBytes() > SCALARS;
        }

        private static boolean gathersUpdated(Operation operation) {
            return operation instanceof Operation.Collective collective
                    && collective.label().contains("updated")
                    && collective.totalBytes() > SCALARS;
        }

        private static long bytes(StepPlan plan, Predicate<Operation> wanted) {
            return where(plan, wanted)
                    .mapToLong(i -> ((Operation.Collective) plan.operation(i)).totalBytes())
                    .sum();
        }

        private String format(Predicate<Operation> wanted) {
            long bytes = Math.round((double) bytes(one, wanted) / parameters);
            assertThat((double) bytes(one, wanted) / parameters).isBetween(bytes - 0.02, bytes + 0.02);
            return Map.of(0L, "nothing", 2L, "16 bits", 4L, "FP32").get(bytes);
        }

        private String collective() {
            Map<CollectiveKind, String> names =
                    Map.of(CollectiveKind.ALL_REDUCE, "all-reduce", CollectiveKind.REDUCE_SCATTER, "reduce-scatter");
            return where(one, Exchange::reduces)
                    .mapToObj(i -> names.get(((Operation.Collective) one.operation(i)).kind()))
                    .distinct()
                    .collect(Collectors.joining(", "));
        }

        private String time() {
            int first = where(one, Exchange::reduces).min().orElseThrow();
            List<Integer> later = where(one, operation -> operation.label().startsWith("backward"))
                    .filter(i -> i > first)
                    .boxed()
                    .toList();
            if (later.isEmpty()) {
                return "after backward";
            }
            Set<Integer> reductions = new HashSet<>(List.of(first));
            for (int i = first + 1; i < one.size(); i++) {
                if (!one.operation(i).label().startsWith("backward")
                        && !isOfGathers(one.operation(i))
                        && Arrays.stream(one.waitsFor(i)).anyMatch(reductions::contains)) {
                    reductions.add(i);
                }
            }
            boolean waits =
                    later.stream().anyMatch(i -> Arrays.stream(one.waitsFor(i)).anyMatch(reductions::contains));
            return waits ? "within backward, which waits" : "overlapped with backward";
        }

        private String microBatches() {
            return bytes(two, Exchange::reduces) > bytes(one, Exchange::reduces) ? "each" : "the last";
        }

        private String bucket() {
            String size = settings.getOrDefault(
                    "reduce_bucket_size", settings.getOrDefault("bucket_size", settings.get("fusion_buffer")));
            if (where(one, Exchange::reduces).count() == 1) {
                return "all";
            }
            if (size == null) {
                return "a layer";
            }
            if (!size.equals("0 elements")) {
                return size;
            }
            // A bucket is closed by the tensor with which it has at least 40 million; the largest of the model has
            // twice that.
            long largest = where(one, Exchange::reduces)
                            .mapToLong(i -> ((Operation.Collective) one.operation(i)).totalBytes())
                            .max()
                            .orElseThrow()
                    / (format(Exchange::reduces).equals("FP32") ? 4 : 2);
            assertThat(largest).isBetween(40_000_000L, 40_000_000L + 2 * 4096 * 32_000);
            return "40000000 elements";
        }

        /** Gathers wait for reductions of their communicator, and backward waits for gathers: not what is asked here. */
        private static boolean isOfGathers(Operation operation) {
            return operation.label().contains("gather")
                    || operation instanceof Operation.Compute compute
                            && compute.work().kind().isOfHost();
        }

        private String gathered() {
            if (where(one, Exchange::gathersUpdated).count() == 0) {
                return where(one, operation -> operation.label().startsWith("gather"))
                                        .count()
                                > 0
                        ? "before use"
                        : "nothing";
            }
            return format(Exchange::gathersUpdated);
        }

        String cells() {
            return String.join(
                    " | ", format(Exchange::reduces), collective(), time(), microBatches(), bucket(), gathered());
        }
    }

    @Test
    void theDocumentSaysWhatEachReleaseExchanges() throws Exception {
        String document = Files.readString(DOCUMENT);
        Matcher table = TABLE.matcher(document);
        assertThat(table.find()).isTrue();
        StringBuilder rows = new StringBuilder();
        Set<String> frameworks = new HashSet<>();
        for (String row : table.group(2).lines().toList()) {
            String[] cells = row.split(" *\\| *", -1);
            String framework = cells[1].replace("`", "");
            String kind = cells[2].replace("`", "");
            String source = cells[cells.length - 2];
            frameworks.add(framework.split(" ")[0]);
            assertThat(source).as(row).isNotBlank();
            rows.append("| ")
                    .append(cells[1])
                    .append(" | ")
                    .append(cells[2])
                    .append(" | ")
                    .append(Exchange.of(framework, kind).cells())
                    .append(" | ")
                    .append(source)
                    .append(" |\n");
        }
        assertThat(frameworks).as("each framework of the catalog has a row").containsAll(Releases.names());
        String expected = document.substring(0, table.start(2)) + rows + document.substring(table.end(2));
        if (System.getProperty("docs.write") != null) {
            Files.writeString(DOCUMENT, expected);
        } else {
            assertThat(document)
                    .as("run this test with -Ddocs.write to write the table anew")
                    .isEqualTo(expected);
        }
    }
}
