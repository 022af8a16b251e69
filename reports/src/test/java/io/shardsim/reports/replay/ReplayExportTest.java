package io.shardsim.reports.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReplayExportTest {
    private static final Path SCRIPTS = Path.of("src/main/resources/io/shardsim/reports/replay");
    private static final Pattern DECLARED =
            Pattern.compile("^(?:export )?(?:async )?(?:const|let|function|class) (\\w+)", Pattern.MULTILINE);

    /** A saved page has all scripts in one scope. */
    @Test
    void noTwoScriptsDeclareOneName() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".js")).toList()) {
                DECLARED.matcher(Files.readString(file))
                        .results()
                        .map((MatchResult found) -> found.group(1))
                        .forEach(names::add);
            }
        }
        assertThat(names).contains("FABRIC").doesNotHaveDuplicates();
    }
}
