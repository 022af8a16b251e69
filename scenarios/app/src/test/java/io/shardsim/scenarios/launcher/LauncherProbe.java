package io.shardsim.scenarios.launcher;

import java.nio.file.Path;
import java.util.List;

/** Program started by the launcher in {@link LauncherTest}: prints its arguments and exits with the requested status. */
final class LauncherProbe {
    private LauncherProbe() {}

    public static void main(String[] arguments) {
        System.out.println("in " + Path.of("").toAbsolutePath() + " with " + List.of(arguments));
        if (arguments.length == 2 && arguments[0].equals("exit")) {
            System.exit(Integer.parseInt(arguments[1]));
        }
        if (arguments.length == 2 && arguments[0].equals("size")) {
            System.out.println(Path.of(arguments[1]).toFile().length() + " bytes");
        }
    }
}
