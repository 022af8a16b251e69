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

/** The report folder named by {@code --out}. It is created before anything runs, so that no run is lost to a path that is not writable. */
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
     * Creates the folder, and returns whether its files can be written.
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
     * Creates the folder, and checks that its files can be written.
     *
     * @param option option that names the folder
     * @param files names of the report's files; empty if not known yet
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

    /** Modification time of the newest of these files; the epoch if none exists. */
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

    /** Some file systems, such as /sys, reject files in folders that look writable, so a temporary file is created as a test. */
    private static Path open(String path) throws IOException {
        Path folder = Files.createDirectories(Path.of(path));
        Files.delete(Files.createTempFile(folder, ".shardsim", ".part"));
        return folder;
    }
}
