package io.shardsim.scenarios.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** Makes jars outside of this repository, and runs the tool with one of them. */
final class FurtherJar {
    private final Path place;

    FurtherJar(Path place) {
        this.place = place;
    }

    record Outcome(int status, String out, String err) {}

    /** Runs the tool in its own JVM, as the launcher does. */
    Outcome shardsim(Path further, String... arguments) throws IOException, InterruptedException {
        return java(further, Main.class.getName(), arguments);
    }

    /** Runs a class of the tool or of these places in its own JVM. */
    Outcome java(Path further, String main, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of(
                "-cp", System.getProperty("java.class.path") + System.getProperty("path.separator") + further, main));
        command.addAll(List.of(arguments));
        Path out = place.resolve("out.txt");
        Path err = place.resolve("err.txt");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Compiles classes, given by their simple names. */
    Path compile(Map<String, String> sources) throws IOException {
        Path folder = Files.createDirectories(place.resolve("sources"));
        List<String> arguments = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path"), "-d"));
        Path classes = Files.createDirectories(place.resolve("classes"));
        arguments.add(classes.toString());
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = folder.resolve(source.getKey() + ".java");
            Files.writeString(file, source.getValue());
            arguments.add(file.toString());
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        return classes;
    }

    /** Writes a jar with entries for its folders, as the jar tool and Maven do. */
    Path jar(String name, Map<String, byte[]> files) throws IOException {
        Path jar = place.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            List<String> folders = files.keySet().stream()
                    .map(path -> path.substring(0, path.lastIndexOf('/') + 1))
                    .distinct()
                    .toList();
            for (String folder : folders) {
                out.putNextEntry(new JarEntry(folder));
            }
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                out.putNextEntry(new JarEntry(file.getKey()));
                out.write(file.getValue());
            }
        }
        return jar;
    }
}
