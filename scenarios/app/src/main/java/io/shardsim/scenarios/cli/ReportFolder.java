package io.shardsim.scenarios.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** A folder for a report as {@code --out} names it, made before anything runs, so that a run is never lost to a path that cannot be written. */
final class ReportFolder implements ITypeConverter<String> {
    private static final FileTime NEVER = FileTime.fromMillis(0);

    @Override
    public String convert(String written) {
        if (written.isBlank()) {
            throw new TypeConversionException("it is empty; name a folder, or leave it out");
        }
        return written;
    }

    /**
     * Whether a report can be written there, the folder made.
     *
     * @param files names of the report's files
     */
    static boolean isWritable(String path, List<String> files) {
        try {
            Path folder = open(path);
            return files.stream().noneMatch(file -> Files.isDirectory(folder.resolve(file)));
        } catch (IOException | InvalidPathException failure) {
            return false;
        }
    }

    /**
     * Makes the folder, and looks whether its files can be written.
     *
     * @param option by which the folder is named
     * @param files names of the report's files; none where they are not known yet
     */
    static Path make(CommandLine command, String path, String option, List<String> files) {
        Path folder;
        try {
            folder = open(path);
        } catch (IOException | InvalidPathException failure) {
            throw new ParameterException(
                    command, "the folder " + path + " cannot be written; name another with " + option, failure);
        }
        for (String file : files) {
            if (Files.isDirectory(folder.resolve(file))) {
                throw new ParameterException(
                        command,
                        folder.resolve(file) + " is a folder, but the report writes a file there; move it, or "
                                + "name another folder with " + option);
            }
        }
        return folder;
    }

    /** When the newest of these files was written; the epoch where none is there. */
    static FileTime written(Path folder, List<String> files) {
        return files.stream()
                .map(folder::resolve)
                .map(ReportFolder::time)
                .max(FileTime::compareTo)
                .orElse(NEVER);
    }

    private static FileTime time(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException missing) {
            return NEVER;
        }
    }

    /** Some file systems, such as /sys, refuse a file though the folder looks writable: one is made to see. */
    private static Path open(String path) throws IOException {
        Path folder = Files.createDirectories(Path.of(path));
        Files.delete(Files.createTempFile(folder, ".shardsim", ".part"));
        return folder;
    }
}
