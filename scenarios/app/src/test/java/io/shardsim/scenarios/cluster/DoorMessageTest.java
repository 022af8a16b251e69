package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DoorMessageTest {
    @Test
    void everyMessageAndFieldIsInTheDocs() throws Exception {
        String all = Files.readString(Path.of("..", "docs", "protocol.md"));
        String page = all.substring(all.indexOf("## A command asks a worker"));

        for (Class<?> message : DoorMessage.class.getPermittedSubclasses()) {
            String type = "`" + message.getSimpleName().toLowerCase(Locale.ROOT) + "`";
            String line = page.lines()
                    .filter(each -> each.contains(type) && !each.startsWith("`type`"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(type));
            assertThat(line)
                    .contains(Stream.of(message.getRecordComponents())
                            .map(field -> "`" + field.getName() + "`")
                            .toList());
        }
    }

    @Test
    void messageArrivesAsItWas() {
        DoorMessage.Question question = (DoorMessage.Question)
                DoorMessage.read(new DoorMessage.Question(7, 2.5, 3, true, new byte[] {1, -1}).write());
        DoorMessage wanted = new DoorMessage.Wanted(List.of(1, 2), true);

        assertThat(question.number()).isEqualTo(7);
        assertThat(question.body()).containsExactly(1, -1);
        assertThat(DoorMessage.read(wanted.write())).isEqualTo(wanted);
        assertThat(DoorMessage.read("{\"type\":\"notice\",\"later\":{},\"text\":\"x\"}"))
                .isEqualTo(new DoorMessage.Notice("x"));
    }

    @Test
    void whatIsNoMessageIsRefused() {
        for (String text : List.of(
                "",
                "null",
                "[]",
                "{}",
                "{\"type\":\"nosuch\"}",
                "{\"type\":\"hello\"}",
                "{\"type\":\"hello\",\"version\":1,\"build\":\"b\",\"cluster\":\"c\",\"job\":\"../x\",\"connection\":1}",
                "{\"type\":\"wanted\",\"numbers\":[1,null]}",
                "{\"type\":\"question\",\"number\":1,\"body\":\"%%\"}",
                "{\"type\":\"result\",\"number\":1,\"worker\":\"one:1\",\"body\":null}",
                "{\"type\":\"result\",\"number\":1,\"worker\":\"one:1\"}",
                "{\"type\":\"progress\",\"silentMillis\":1,\"workers\":[{\"running\":1}]}",
                "[".repeat(5_000))) {
            assertThatThrownBy(() -> DoorMessage.read(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("not a message of docs/protocol.md: ");
        }
    }
}
