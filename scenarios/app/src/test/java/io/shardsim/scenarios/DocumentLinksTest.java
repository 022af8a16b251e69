package io.shardsim.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Links of the repository's documents lead to existing files. */
class DocumentLinksTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)[^)]*\\)");

    static Stream<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (String folder : List.of("", "docs", "docs/lessons", "scenarios/accuracy")) {
            try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
            }
        }
        return documents.stream();
    }

    /** The index lists every page. */
    @Test
    void everyPageIsInTheIndex() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/README.md"));
        assertThat(documents()
                        .filter(document -> document.getParent().endsWith("docs") && !document.endsWith("README.md"))
                        .map(document -> "](" + document.getFileName() + ")"))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(index).contains(link));
    }

    /** The third line, below the title. */
    @Test
    void everyPageBeginsWithWhatTheReaderCanDoAfterIt() throws IOException {
        assertThat(documents().filter(document -> document.startsWith(ROOT.resolve("docs"))))
                .isNotEmpty()
                .allSatisfy(document ->
                        assertThat(Files.readAllLines(document).get(2)).startsWith("After this page you "));
    }

    @ParameterizedTest
    @MethodSource("documents")
    void linksLeadSomewhere(Path document) throws IOException {
        List<String> broken = new ArrayList<>();
        Matcher links = LINK.matcher(Files.readString(document));
        while (links.find()) {
            String target = links.group(1);
            if (!target.contains("://")
                    && !Files.exists(document.resolveSibling(target).normalize())) {
                broken.add(target);
            }
        }
        assertThat(broken).isEmpty();
    }
}
