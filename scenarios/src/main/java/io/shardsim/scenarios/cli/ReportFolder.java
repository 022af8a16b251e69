package io.shardsim.scenarios.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** A folder for a report as {@code --out} names it, made before anything runs, so that a run is never lost to a path that cannot be written. */
final class ReportFolder implements ITypeConverter<String> {
    @Override
    public String convert(String written) {
        if (written.isBlank()) {
            throw new TypeConversionException("it is empty; name a folder, or leave it out");
        }
        return written;
    }

    /** Whether a report can be written there, the folder made. */
    static boolean isWritable(String path) {
        try {
            return Files.isWritable(Files.createDirectories(Path.of(path)));
        } catch (IOException | InvalidPathException failure) {
            return false;
        }
    }

    static Path make(CommandLine command, String path) {
        return make(command, path, "--out");
    }

    /**
     * @param option by which the folder is named
     */
    static Path make(CommandLine command, String path, String option) {
        try {
            Path folder = Path.of(path);
            Files.createDirectories(folder);
            if (!Files.isWritable(folder)) {
                throw new IOException("not writable");
            }
            return folder;
        } catch (IOException | InvalidPathException failure) {
            throw new ParameterException(
                    command, "the report folder " + path + " cannot be written; name another with " + option, failure);
        }
    }
}
