package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.TextStyle;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/** Properties of the terminal, found without native code. */
final class Terminal {
    static final int WIDTH_MIN = 40;

    private Terminal() {}

    /** Width of output in columns: {@code COLUMNS}, else the terminal's. */
    static int width() {
        Integer set = columns(System.getenv("COLUMNS"));
        if (set != null) {
            return Math.max(WIDTH_MIN, set);
        }
        // stty queries its stdin, which must be the terminal itself; without one the width is unlimited.
        String[] size =
                ask("sh", "-c", "exec 2>/dev/null; stty size </dev/tty").strip().split("\\s+");
        Integer asked = size.length == 2 ? columns(size[1]) : null;
        return asked == null ? TextStyle.WIDTH_WITHOUT_TERMINAL : Math.max(WIDTH_MIN, asked);
    }

    /** The style of text on stdout: the terminal's width, in colour on a terminal unless NO_COLOR is set. */
    static TextStyle style(TextStyle.Detail detail) {
        return new TextStyle(width(), CommandLine.Help.Ansi.AUTO.enabled(), detail);
    }

    /** Whether stderr is a terminal. */
    static boolean isErrorSeen() {
        return ask("sh", "-c", "test -t 2 && echo yes").strip().equals("yes");
    }

    private static @Nullable Integer columns(@Nullable String text) {
        return text != null && text.matches("[1-9]\\d{0,3}") ? Integer.valueOf(text) : null;
    }

    /** Output of a short command; empty if it fails or cannot be started. */
    private static String ask(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (InputStream out = process.getInputStream()) {
                String text = new String(out.readNBytes(200), StandardCharsets.UTF_8);
                return process.waitFor(1, TimeUnit.SECONDS) && process.exitValue() == 0 ? text : "";
            }
        } catch (IOException missing) {
            return "";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
