package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.evaluation.PointSimulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lessons hold no figures of their own: {@code docs/lessons} says what their scenarios give today. With {@code -Ddocs.write} the documents are written instead of
 * compared.
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
        for (int i = 0; i < lesson.question().choices().size(); i++) {
            double choice = lesson.question().choices().get(i);
            assertThat(Math.max(choice / answer.ratio(), answer.ratio() / choice) <= 1.25)
                    .as("choice %s for %s", choice, answer.ratio())
                    .isEqualTo(i == answer.rightChoice());
        }
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
        for (String paragraph : lesson.told().after()) {
            assertThat(paragraph.replaceAll("\\{[^}]*}", ""))
                    .as("units and decimals outside braces")
                    .doesNotContainPattern("\\d\\.\\d|\\d (ms|us|s|GB|TB|GiB|%)\\b");
        }
        assertThat(lesson.points()).containsKeys(lesson.question().compare().toArray(String[]::new));
        assertThat(lesson.points())
                .satisfies(points -> assertThat(points.keySet()).containsAll(lesson.watch()));
        assertThat(lesson.question().choices()).doesNotHaveDuplicates().hasSizeBetween(3, 5);
    }

    private static String document(Lesson lesson, LessonAnswer answer) {
        List<String> lines = new ArrayList<>();
        lines.add("# Lesson " + lesson.id().charAt(0) + ": " + lesson.title());
        lines.add("");
        lines.add(
                "After this page you can teach the lesson. It is part of the page that `./shardsim demo` serves (Lessons). Every figure below comes from\n"
                        + "[" + lesson.scenario() + ".yaml](../../scenarios/library/" + lesson.scenario()
                        + ".yaml), and `LessonsTest` compares it with the runs. `./shardsim run scenarios/library/"
                        + lesson.scenario() + ".yaml` gives the full report.");
        section(lines, "Tell the class", lesson.told().before());
        section(lines, "The question", List.of(lesson.question().words()));
        lines.add("");
        lesson.question().choices().forEach(choice -> lines.add("- " + Lesson.words(choice)));
        section(
                lines,
                "What the simulation says",
                List.of("The answer is **" + Quantities.significant(answer.ratio()) + "**; the nearest choice is \u201c"
                        + Lesson.words(lesson.question().choices().get(answer.rightChoice())) + "\u201d."));
        answer.after().forEach(paragraph -> lines.add("\n" + paragraph));
        lines.add("");
        List<List<String>> table = answer.table();
        lines.add("| " + String.join(" | ", table.get(0)) + " |");
        lines.add("|---|" + "--:|".repeat(table.get(0).size() - 1));
        table.subList(1, table.size()).forEach(row -> lines.add("| " + String.join(" | ", row) + " |"));
        section(lines, "For the teacher", lesson.told().teacher());
        return String.join("\n", lines) + "\n";
    }

    private static void section(List<String> lines, String title, List<String> paragraphs) {
        lines.add("");
        lines.add("## " + title);
        paragraphs.forEach(paragraph -> lines.add("\n" + paragraph));
    }
}
