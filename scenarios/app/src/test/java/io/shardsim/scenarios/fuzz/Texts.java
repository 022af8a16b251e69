package io.shardsim.scenarios.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Valid files that damage begins with. */
final class Texts {
    private Texts() {}

    /** A file's name and what it says. */
    record Named(String name, String text) {}

    /** The files of a folder, in order of their names. */
    static List<Named> of(String folder) {
        List<Named> texts = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                texts.add(new Named(file.getFileName().toString(), Files.readString(file)));
            }
            return texts;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
