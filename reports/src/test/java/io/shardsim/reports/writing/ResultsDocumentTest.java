package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.html.Glossary;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/results.md} defines exactly the fields of the document. With {@code -Ddocs.write} its glossary is written instead of compared. */
class ResultsDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "results.md");
    /** Maps whose keys are data; the page lists them with a star. */
    private static final Set<String> OPEN = Set.of(
            "point",
            "breakdown.work_seconds",
            "breakdown.exposed_seconds",
            "memory.peak_bytes_by_owner",
            "settings",
            "advice[].set",
            "trials[].set",
            "assumptions[].others[].set",
            "blast_radius.groups[].waits_longer_seconds");

    @Test
    void itDefinesTheFieldsThatThereAre() throws IOException {
        Set<String> fields = new TreeSet<>();
        for (ScenarioResult scenario : List.of(
                SampleRuns.sweep("sweep"),
                SampleRuns.collective("bare"),
                SampleRuns.around("around"),
                SampleRuns.accepted("accepted"))) {
            for (RunResult run : scenario.runs()) {
                collect("", ResultsJson.run(run), fields);
            }
        }
        Set<String> defined = new TreeSet<>();
        Matcher rows = Pattern.compile("^\\| `([^`]+)` \\|", Pattern.MULTILINE).matcher(Files.readString(DOCUMENT));
        while (rows.find()) {
            defined.add(rows.group(1));
        }
        assertThat(defined).isEqualTo(fields);
    }

    private static void collect(String path, Object value, Set<String> fields) {
        if (path.equals("point")) {
            fields.add(path);
        } else if (OPEN.contains(path)) {
            fields.add(path + ".*");
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> {
                if (inner != null || !List.of("scaling", "cost", "accuracy").contains(key)) {
                    collect(path.isEmpty() ? String.valueOf(key) : path + "." + key, inner, fields);
                }
            });
        } else if (value instanceof List<?> list && list.stream().anyMatch(Map.class::isInstance)) {
            list.forEach(item -> collect(path + "[]", item, fields));
        } else if (!(value instanceof List<?> list
                && list.isEmpty()
                && path.matches("links|waited_for|advice|trials|assumptions|messages"))) {
            fields.add(path);
        }
    }

    @Test
    void itNamesEveryKindOfWorkStreamAndOwner() throws IOException {
        String document = Files.readString(DOCUMENT);
        for (Work.Kind kind : Work.Kind.values()) {
            if (!kind.isOfHost()) {
                assertThat(document).contains("`" + Names.id(kind) + "`");
            }
        }
        for (Stream stream : Stream.values()) {
            if (stream != Stream.COMPUTE) {
                assertThat(document).contains("`" + Names.id(stream) + "`");
            }
        }
        for (MemoryOwner owner : MemoryOwner.values()) {
            assertThat(document).contains("`" + Names.id(owner) + "`");
        }
    }

    @Test
    void itsGlossaryIsThatOfTheReport() throws IOException {
        StringBuilder glossary = new StringBuilder("<!-- glossary -->\n");
        for (Glossary.Term term : Glossary.terms()) {
            glossary.append("- **")
                    .append(term.name())
                    .append("**: ")
                    .append(term.meaning())
                    .append('\n');
        }
        String document = Files.readString(DOCUMENT);
        String expected = document.replaceFirst(
                "(?s)<!-- glossary -->\n.*?<!-- end -->", Matcher.quoteReplacement(glossary + "<!-- end -->"));
        if (System.getProperty("docs.write") != null) {
            Files.writeString(DOCUMENT, expected);
        } else {
            assertThat(document)
                    .as("docs/results.md; run this test with -Ddocs.write to write its glossary anew")
                    .isEqualTo(expected);
        }
    }
}
