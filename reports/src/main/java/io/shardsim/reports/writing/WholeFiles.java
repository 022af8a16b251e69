package io.shardsim.reports.writing;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * Replaces files atomically and together. Each is written to a temporary file next to its target, synced to disk and renamed once all are written: a
 * full disk or a killed process leaves the old files. Concurrent runs that write to one folder serialize the renaming, so that its files are from one
 * run.
 */
public final class WholeFiles {
    private static final String LOCK = ".shardsim.lock";

    private WholeFiles() {}

    /** The content of a file. */
    public interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Writes texts to a folder.
     *
     * @param texts texts by file name
     * @throws IOException if one cannot be written; then none is replaced
     */
    public static void write(Path directory, Map<String, String> texts) throws IOException {
        Map<Path, Content> contents = new LinkedHashMap<>();
        texts.forEach((name, text) ->
                contents.put(directory.resolve(name), out -> out.write(text.getBytes(StandardCharsets.UTF_8))));
        writeAll(directory, contents);
    }

    /**
     * Writes one file; writes directly to a device such as {@code /dev/stdout}.
     *
     * @throws IOException if it cannot be written; then the old file stays
     */
    public static void write(Path file, Content content) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
                content.writeTo(out);
            }
            return;
        }
        Path place = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        writeAll(Objects.requireNonNull(place.getParent()), Map.of(place, content));
    }

    private static void writeAll(Path directory, Map<Path, Content> contents) throws IOException {
        Map<Path, Path> aside = new LinkedHashMap<>();
        try {
            for (Map.Entry<Path, Content> one : contents.entrySet()) {
                Path part = one.getKey()
                        .resolveSibling("." + one.getKey().getFileName() + "." + UUID.randomUUID() + ".part");
                aside.put(part, one.getKey());
                naming(one.getKey(), () -> fill(part, one.getValue()));
            }
            if (aside.size() == 1) {
                rename(aside);
            } else {
                renameAlone(directory, aside);
            }
        } finally {
            for (Path part : aside.keySet()) {
                Files.deleteIfExists(part);
            }
        }
    }

    private static void fill(Path part, Content content) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(part, StandardOpenOption.CREATE_NEW))) {
            content.writeTo(out);
        }
        try (FileChannel written = FileChannel.open(part, StandardOpenOption.WRITE)) {
            written.force(true);
        }
    }

    /** Renames files in one thread of this process at a time, since a process can hold a lock only once. */
    private static synchronized void renameAlone(Path directory, Map<Path, Path> aside) throws IOException {
        try (FileChannel channel =
                        FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = channel.lock()) {
            rename(aside);
        }
    }

    private static void rename(Map<Path, Path> aside) throws IOException {
        for (Map.Entry<Path, Path> one : aside.entrySet()) {
            naming(one.getValue(), () -> Files.move(one.getKey(), one.getValue(), StandardCopyOption.ATOMIC_MOVE));
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Runs a step, naming the requested file in failures, not the temporary one. */
    private static void naming(Path file, Step step) throws IOException {
        try {
            step.run();
        } catch (AccessDeniedException failure) {
            throw because(failure, new AccessDeniedException(file.toString(), null, failure.getReason()));
        } catch (NoSuchFileException failure) {
            throw because(failure, new NoSuchFileException(file.toString(), null, failure.getReason()));
        } catch (FileSystemException failure) {
            throw because(failure, new FileSystemException(file.toString(), null, failure.getReason()));
        } catch (IOException failure) {
            throw because(failure, new FileSystemException(file.toString(), null, failure.getMessage()));
        }
    }

    private static IOException because(IOException cause, FileSystemException named) {
        named.initCause(cause);
        return named;
    }
}
