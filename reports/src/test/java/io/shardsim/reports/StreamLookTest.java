package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.StreamLook.Mark;
import io.shardsim.reports.replay.ReplayPage;
import io.shardsim.simulator.plan.Stream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stream has words, colours, a position and a mark everywhere, or nowhere. */
class StreamLookTest {
    private static final Pattern NAMED_IN_JAVA = Pattern.compile("\\bStream\\.(?!(?:COMPUTE|HOST)\\b)[A-Z][A-Z_]+");
    /** Scripts, style sheets and templates; gathers and reductions have their own marks on the page. */
    private static final Pattern NAMED_ELSEWHERE = Pattern.compile("['\".-](?:tensor|context|pipeline)\\b|pipeline_");

    @ParameterizedTest
    @EnumSource(Stream.class)
    void everyStreamLooksLikeSomething(Stream stream) {
        StreamLook look = StreamLook.of(stream);
        assertThat(look.stream()).isEqualTo(stream.reportedAs());
        assertThat(StreamLook.all()).containsOnlyOnce(look);
        assertThat(List.of(look.lane(), look.waiting(), look.waitedFor())).noneMatch(String::isBlank);
        assertThat(List.of(look.paint().light(), look.paint().dark()))
                .allMatch(colour -> colour.matches("#[0-9a-f]{6}"));
        assertThat(look.isWaitedFor()).isEqualTo(stream != Stream.COMPUTE);
        assertThat(List.of(Mark.GATHERS, Mark.REDUCES, Mark.EXCHANGES).contains(look.mark()))
                .isEqualTo(stream.exchangesData());
        assertThat(StreamLook.of(Names.id(stream))).isEqualTo(look);
        assertThat(StreamLook.document()).anyMatch(row -> row.get("id").equals(Names.id(stream)));
    }

    @Test
    void rowsDiffer() {
        assertThat(StreamLook.all()).extracting(StreamLook::lane).doesNotHaveDuplicates();
        assertThat(StreamLook.all()).extracting(StreamLook::waiting).doesNotHaveDuplicates();
        assertThat(StreamLook.all())
                .extracting(look -> look.paint().light() + look.paint().hatch())
                .doesNotHaveDuplicates();
    }

    @Test
    void thePageHasTheColoursOfEveryStream() {
        String page =
                new String(Objects.requireNonNull(ReplayPage.asset("page.css")).content(), StandardCharsets.UTF_8);
        for (StreamLook look : StreamLook.all()) {
            String colour = "--" + look.id() + ": " + look.paint().light();
            assertThat(page).contains(colour, "--on-" + look.id() + ": ");
        }
    }

    /** A new stream needs only a constant and a row. Tables of settings name axes, not streams. */
    @Test
    void nothingElseInReportsNamesAStream() throws IOException {
        TreeSet<String> naming = new TreeSet<>();
        try (java.util.stream.Stream<Path> files = Files.walk(Path.of("src/main"))) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().endsWith(".yaml"))
                    .toList()) {
                Pattern named = file.toString().endsWith(".java") ? NAMED_IN_JAVA : NAMED_ELSEWHERE;
                if (named.matcher(Files.readString(file)).find()) {
                    naming.add(file.getFileName().toString());
                }
            }
        }
        assertThat(naming).containsExactly("StreamLook.java");
    }
}
