package io.shardsim.scenarios.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Valid files to be damaged. */
final class Texts {
    private Texts() {}

    /** A file's name and content. */
    record Named(String name, String text) {}

    /** Returns the files of a folder, sorted by name. */
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
