package io.shardsim.scenarios.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens pages in the user's browser. */
final class WebBrowser {
    private WebBrowser() {}

    /** Opens an address; false without a screen or a known browser. */
    static boolean open(String address) {
        List<String> command = command(System.getProperty("os.name", ""), System.getenv());
        if (command == null) {
            return false;
        }
        try {
            List<String> words = new ArrayList<>(command);
            words.add(address);
            new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return true;
        } catch (IOException missing) {
            return false;
        }
    }

    /** The command that opens an address on this system; null without a screen. */
    static @Nullable List<String> command(String system, Map<String, String> environment) {
        String name = system.toLowerCase(Locale.ROOT);
        if (name.startsWith("mac")) {
            return List.of("open");
        }
        if (name.startsWith("windows")) {
            return List.of("rundll32", "url.dll,FileProtocolHandler");
        }
        return environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY")
                ? List.of("xdg-open")
                : null;
    }
}
