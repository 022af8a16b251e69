package io.shardsim.scenarios.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.shardsim.scenarios.launcher.Started.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the tests of {@code shardsim.py} against the packaged jar. */
@Tag("slow")
class NotebookIT {
    private static final int SECONDS_MAX = 900;

    @Test
    void testsOfThePythonModulePass() throws Exception {
        assumeTrue(isThere(), "skipped: install python3 (3.8 or newer) to test shardsim.py");
        Outcome tests = python("-W", "error::ResourceWarning", "-m", "unittest", "-v", "test_shardsim");
        System.err.print(tests.err());
        assertThat(tests.status()).as(tests.err()).isZero();
    }

    private static boolean isThere() throws Exception {
        try {
            return python("-c", "import sys; sys.exit(sys.version_info < (3, 8))")
                            .status()
                    == 0;
        } catch (IOException missing) {
            return false;
        }
    }

    private static Outcome python(String... arguments) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String shardsim = "'" + java + "' -XX:+UseParallelGC -jar '" + System.getProperty("shardsim.jar") + "'";
        List<String> words = new ArrayList<>(List.of("python3", "-B"));
        words.addAll(List.of(arguments));
        return Started.start(Path.of("app/src/test/python"), Map.of("SHARDSIM_COMMAND", shardsim), words)
                .await(SECONDS_MAX);
    }
}
