package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.exporting.Export;
import io.shardsim.scenarios.exporting.WrittenFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Where configuration files are written: to a file if there is only one, else to a folder; without a path, to the terminal. */
final class ConfigurationOutput {
    private final CommandLine command;
    private final @Nullable Path path;
    private final boolean oneFile;
    private final boolean json;

    /**
     * Checks the path before anything runs, so that no search is lost to a path that is not writable.
     *
     * @param oneFile whether the configuration is a single file
     * @param json whether stdout carries JSON, and nothing else
     */
    ConfigurationOutput(CommandLine command, @Nullable String path, boolean oneFile, boolean json) {
        this.command = command;
        this.oneFile = oneFile;
        this.json = json;
        try {
            this.path = path == null ? null : Path.of(path);
            Path folder = folder();
            if (folder != null) {
                Files.createDirectories(folder);
                if (!Files.isWritable(folder)) {
                    throw new IOException("not writable");
                }
            }
        } catch (IOException | InvalidPathException failure) {
            throw new ParameterException(command, path + " cannot be written; name another path with -o", failure);
        }
    }

    private boolean isFile() {
        return path != null && oneFile && !Files.isDirectory(path);
    }

    private @Nullable Path folder() {
        return path != null && isFile() ? path.toAbsolutePath().getParent() : path;
    }

    boolean isTerminal() {
        return path == null;
    }

    /** Writes the files. Remarks go to stdout, or to stderr if the files or JSON go to stdout. */
    void write(Export export) {
        List<String> names = new ArrayList<>();
        for (WrittenFile file : export.files()) {
            names.add(path == null ? shown(file, export.files().size()) : saved(file, path));
        }
        lines(export, names).forEach(this::tell);
    }

    /** Prints a remark about the files. */
    void tell(String line) {
        PrintWriter words = path == null || json ? command.getErr() : command.getOut();
        words.print(new Paragraphs(Terminal.width()).line(line));
        words.flush();
    }

    private String shown(WrittenFile file, int files) {
        PrintWriter out = command.getOut();
        out.print((files > 1 ? "==> " + file.name() + " <==\n" : "") + file.text());
        out.flush();
        return file.name();
    }

    private String saved(WrittenFile file, Path where) {
        Path target = isFile() ? where : where.resolve(file.name());
        try {
            WholeFiles.write(target, out -> out.write(file.text().getBytes(StandardCharsets.UTF_8)));
        } catch (IOException failure) {
            throw new UncheckedIOException(target + " cannot be written", failure);
        }
        return target.toString();
    }

    private List<String> lines(Export export, List<String> names) {
        List<String> lines = new ArrayList<>();
        lines.add((path == null ? "Files: " : "Wrote ") + String.join(", ", names) + ".");
        lines.add("Run: " + export.launch());
        lines.addAll(export.notes());
        export.lost().forEach(lost -> lines.add(lost.line()));
        return lines;
    }
}
