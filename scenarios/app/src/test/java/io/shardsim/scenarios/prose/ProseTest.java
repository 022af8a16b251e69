package io.shardsim.scenarios.prose;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages and printed texts are short sentences in the field's own words; the words to avoid are in {@code prose/home-made-words.txt}. */
@Tag("once")
class ProseTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Prose PROSE = prose();

    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String page :
                List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "scenarios/accuracy/DEVIATIONS.md")) {
            pages.add(Path.of(page));
        }
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md"))
                    .map(ROOT::relativize)
                    .sorted()
                    .forEach(pages::add);
        }
        return pages;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pageIsEasyToRead(Path page) throws IOException {
        assertThat(PROSE.ofPage(page.toString(), Files.readString(ROOT.resolve(page))))
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void printedTextsAreEasyToRead(String module) throws IOException {
        List<String> findings = new ArrayList<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java"))
                    .sorted()
                    .toList()) {
                findings.addAll(PROSE.ofSource(ROOT.relativize(file).toString(), Files.readString(file)));
            }
        }
        assertThat(findings).isEmpty();
    }

    static List<String> modules() {
        return List.of("topology", "simulator", "reports", "scenarios/core", "scenarios/frameworks", "scenarios/app");
    }

    @Test
    void longSentenceIsFound() {
        String sentence = String.join(" ", Collections.nCopies(Prose.LONGEST_MOST, "Word"));
        assertThat(PROSE.ofPage("a.md", "Short it is.\n\n" + "Short it is. ".repeat(20) + sentence + "."))
                .isEmpty();
        assertThat(PROSE.ofPage("a.md", "Short it is. ".repeat(20) + sentence + " more."))
                .containsExactly("a.md: 46 words, write 45 or fewer: " + sentence + " more.");
    }

    @Test
    void longPageIsFound() {
        String sentence = "It " + String.join(" ", Collections.nCopies(Prose.MEDIAN_MOST, "goes")) + ". ";
        assertThat(PROSE.ofPage("a.md", sentence.repeat(5)))
                .containsExactly("a.md: the median sentence has 19 words, write 18 or fewer");
        String longer = "It " + String.join(" ", Collections.nCopies(Prose.NINE_OF_TEN_MOST, "goes")) + ". ";
        assertThat(PROSE.ofPage("a.md", "Short it is. ".repeat(8) + longer.repeat(3)))
                .startsWith("a.md: nine of ten sentences have up to 29 words, write 28 or fewer")
                .hasSize(4);
    }

    @Test
    void homeMadeWordIsFound() {
        assertThat(PROSE.ofPage("a.md", "A slice takes\nmultiprocessors from it.\n\n```\nmultiprocessors\n```\n"))
                .containsExactly("a.md: \"multiprocessors\", write SM: ...A slice takes multiprocessors from it. ...");
    }

    @Test
    void tablesHeadingsAndItemsAreNoSentences() {
        assertThat(Sentences.ofPage(
                        "# A title of a page\n\n- one item is here\n- **another** [item](x.md) is here\n\n| a | b |\n"))
                .containsExactly("one item is here", "another item is here");
    }

    @Test
    void literalsAreJoinedAndCommentsLeftOut() {
        String source =
                "/* in 32 bits */ f(\"Adam with \" + two(1, 2) + \" moments\"\n + \" in 32 bits is here\"); // in 32 bits";
        assertThat(Sentences.texts(source)).containsExactly("Adam with N moments in 32 bits is here");
        assertThat(PROSE.ofSource("A.java", source))
                .containsExactly("A.java: \"in 32 bits\", write FP32: ...Adam with N moments in 32 bits is here...");
    }

    private static Prose prose() {
        try (InputStream words = ProseTest.class.getResourceAsStream("/prose/home-made-words.txt")) {
            return Prose.of(new String(words.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
