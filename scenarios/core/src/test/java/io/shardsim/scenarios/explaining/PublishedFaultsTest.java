package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.scenario.SweptFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The top-ranked fault of published slow runs with known cause, in the folder {@code accuracy/faults}. Each file records today's top-ranked fault,
 * right or wrong, so that any change is noticed.
 */
@Tag("once")
class PublishedFaultsTest {
    private static final Path FOLDER = Path.of("accuracy", "faults");
    private static final YAMLMapper MAPPER = new YAMLMapper();

    /**
     * A published slow run.
     *
     * @param cause name of its fault
     * @param first name of the top-ranked fault
     * @param calibration why the run does not count; empty if it does
     */
    private record Case(String name, JsonNode file, String cause, String first, String calibration) {
        static Case of(Path path) {
            JsonNode file = MAPPER.readTree(path.toFile());
            return new Case(
                    path.getFileName().toString(),
                    file,
                    file.path("cause").asString(),
                    file.path("first").asString(),
                    file.path("calibration").asString(""));
        }

        boolean counts() {
            return calibration.isEmpty();
        }

        boolean isRight() {
            return first.equals(cause);
        }

        List<String> texts(String key) {
            return file.path(key).valueStream().map(JsonNode::asString).toList();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Case> judged() {
        return cases().stream().filter(Case::counts).toList();
    }

    private static List<Case> cases() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.sorted().map(Case::of).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("judged")
    void whatComesFirst(Case one) throws Exception {
        Explanation explanation = explained(one, one.texts("measured"));
        String first = explanation.suspects().isEmpty()
                ? explanation.verdict().name().toLowerCase(Locale.ROOT)
                : explanation.suspects().get(0).fault();
        assertThat(first).isEqualTo(one.first());
        assertThat(KnownFault.names()).contains(one.cause());
        String healthy = one.file().path("healthy").asString("");
        if (!healthy.isEmpty()) {
            assertThat(explained(one, List.of(healthy)).verdict() == Explanation.Verdict.HEALTHY)
                    .as("%s is healthy", healthy)
                    .isEqualTo(one.file().path("healthy_in_range").asBoolean());
        }
    }

    private static Explanation explained(Case one, List<String> measured) throws Exception {
        return Objects.requireNonNull(new Explainer(PointSimulation::new, 2)
                .explain(
                        Explainer.Subject.of(
                                RunName.of(one.name()),
                                SweptFile.readText(
                                        one.name(),
                                        MAPPER.writeValueAsString(one.file().path("scenario")))),
                        Explainer.Evidence.of(
                                measured.stream().map(Measured::parse).toList(), Set.copyOf(one.texts("not"))),
                        (share, what) -> {}));
    }

    /** The figures quoted in docs/why.md. */
    @Test
    void theCountIsWhatTheDocumentSays() throws Exception {
        long right = judged().stream().filter(Case::isRight).count();
        String document = Files.readString(Path.of("..", "docs", "why.md"));
        assertThat(document).contains("The true cause comes first in " + right + " of " + judged().size() + ".");
        for (Case one : cases()) {
            String source = one.file().path("source").path("url").asString();
            assertThat(document)
                    .containsPattern("\\Q| [" + one.name().replace(".yaml", "") + "](" + source + ") |\\E.*\\Q | "
                            + one.cause() + " | " + (one.isRight() ? "first" : one.first()) + "\\E");
        }
    }
}
