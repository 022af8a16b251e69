package io.shardsim.scenarios.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.launcher.Started.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher of this checkout, with the real build and the real jar. */
@Tag("slow")
class LauncherIT {
    private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    Path elsewhere;

    @Test
    void buildsTheToolAndThenOnlyStartsIt() throws Exception {
        Outcome first = start("--version");
        assertThat(first.status()).as(first.err()).isZero();
        assertThat(first.out()).contains("shardsim");
        FileTime built = Files.getLastModifiedTime(CHECKOUT.resolve("build/launcher/built"));

        Outcome second = start("--version");
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).isEqualTo(first.out());
        assertThat(Files.getLastModifiedTime(CHECKOUT.resolve("build/launcher/built")))
                .isEqualTo(built);
    }

    @Test
    void refusesWhatItDoesNotKnow() throws Exception {
        Outcome outcome = start("no-such-command");

        assertThat(outcome.status()).isEqualTo(2);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).contains("no-such-command");
    }

    private Outcome start(String argument) throws Exception {
        return Started.start(
                        elsewhere,
                        Map.of(),
                        List.of(CHECKOUT.resolve("shardsim").toString(), argument))
                .await(300);
    }
}
