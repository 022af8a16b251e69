package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.writing.JsonObject;
import io.shardsim.scenarios.evaluation.PointSimulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lessons contain no figures of their own: {@code docs/lessons} has today's figures of their scenarios. With {@code -Ddocs.write} the documents are
 * written instead of compared.
 */
class LessonsTest {
    private static final Path DOCUMENTS = Path.of("..", "docs", "lessons");
    private static final Lessons LESSONS = Lessons.load();

    static List<Lesson> lessons() {
        return LESSONS.all();
    }

    @ParameterizedTest
    @Tag("slow")
    @MethodSource("lessons")
    void documentSaysWhatTheScenarioGives(Lesson lesson) throws Exception {
        LessonAnswer answer;
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            answer = LESSONS.answer(lesson, simulation::run);
        }
        assertThat(drawn(answer)).containsExactlyElementsOf(listed(lesson, answer));
        Path file = DOCUMENTS.resolve(lesson.id() + ".md");
        String document = document(lesson, answer);
        if (System.getProperty("docs.write") != null) {
            Files.createDirectories(DOCUMENTS);
            Files.writeString(file, document);
        }
        assertThat(file).content().isEqualTo(document);
    }

    @ParameterizedTest
    @MethodSource("lessons")
    void textHoldsNoFigureOfItsOwn(Lesson lesson) throws IOException {
        List<String> said = new ArrayList<>(lesson.told().after());
        said.add(lesson.question().again().says());
        if (lesson.tour() != null) {
            said.add(lesson.tour().words());
        }
        for (String paragraph : said) {
            assertThat(paragraph.replaceAll("\\{[^}]*}", ""))
                    .as("units and decimals outside braces")
                    .doesNotContainPattern("\\d\\.\\d|\\d (ms|us|s|GB|TB|GiB|%)\\b");
        }
        assertThat(lesson.points().keySet())
                .containsAll(lesson.question().given())
                .contains(lesson.question().asked())
                .containsAll(lesson.shown().watch());
        assertThat(lesson.question().given())
                .isNotEmpty()
                .doesNotContain(lesson.question().asked());
        assertThat(lesson.shown().watch())
                .satisfiesAnyOf(
                        watch -> assertThat(watch).isEmpty(),
                        watch -> assertThat(watch).hasSize(2));
        assertThat(lesson.shown().why() == null)
                .as("what shows why is watched")
                .isEqualTo(lesson.shown().watch().isEmpty());
        assertThat(lesson.id()).startsWith(lessons().indexOf(lesson) + 1 + "-");
    }

    /** Returns the values of the chart's marks. */
    private static List<String> drawn(LessonAnswer answer) {
        JsonNode marks = JsonMapper.shared().valueToTree(answer.document()).at("/chart/marks");
        return marks.valueStream().map(mark -> mark.path("text").asString()).toList();
    }

    /** Returns the table's values of the charted figure. */
    private static List<String> listed(Lesson lesson, LessonAnswer answer) {
        String figure = lesson.shown().draw().figure();
        int column = lesson.shown().table().indexOf(figure) + 1;
        assertThat(column).as("the figure that is drawn is in the table").isPositive();
        List<List<String>> table = answer.table();
        String unit = switch (FigureUnit.of(figure)) {
            case DAYS -> " days";
            case SAMPLES -> " samples/s";
            default -> "";
        };
        return table.subList(1, table.size()).stream()
                .map(row -> row.get(column) + unit)
                .toList();
    }

    private static String document(Lesson lesson, LessonAnswer answer) {
        List<String> lines = new ArrayList<>();
        lines.add("# Lesson " + lesson.id().replaceAll("-.*", "") + ": " + lesson.title());
        lines.add("");
        lines.add(
                "After this page you can teach the lesson. It is part of the page that `./shardsim demo` serves (Lessons). Every figure below comes from\n"
                        + "[" + lesson.scenario() + ".yaml](../../scenarios/library/" + lesson.scenario()
                        + ".yaml), and `LessonsTest` compares it with the runs. `./shardsim run scenarios/library/"
                        + lesson.scenario() + ".yaml` gives the full report.");
        section(lines, "Tell the class", lesson.told().before());
        section(lines, "The question", List.of(lesson.question().words()));
        lines.add("");
        lesson.question().given().forEach(point -> lines.add("- given: " + said(answer, point)));
        section(
                lines,
                "What the simulation says",
                List.of("**" + said(answer, lesson.question().asked()) + "**"));
        answer.after().forEach(paragraph -> lines.add("\n" + paragraph));
        lines.add("");
        List<List<String>> table = answer.table();
        lines.add("| " + String.join(" | ", table.get(0)) + " |");
        lines.add("|---|" + "--:|".repeat(table.get(0).size() - 1));
        table.subList(1, table.size()).forEach(row -> lines.add("| " + String.join(" | ", row) + " |"));
        JsonObject again = answer.again();
        section(
                lines,
                "The question that follows",
                List.of(lesson.question().again().words()));
        for (String key : List.of("given", "asked")) {
            JsonObject quantity = (JsonObject) again.get(key);
            lines.add((key.equals("given") ? "\n- given: " : "- simulated: ") + quantity.get("name") + ": "
                    + quantity.get("text"));
        }
        lines.add("\n" + again.get("says"));
        section(lines, "For the teacher", lesson.told().teacher());
        return String.join("\n", lines) + "\n";
    }

    private static String said(LessonAnswer answer, String point) {
        JsonObject quantity = answer.quantity(point);
        return quantity.get("name") + ": " + quantity.get("text");
    }

    private static void section(List<String> lines, String title, List<String> paragraphs) {
        lines.add("");
        lines.add("## " + title);
        paragraphs.forEach(paragraph -> lines.add("\n" + paragraph));
    }
}
