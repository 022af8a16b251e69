package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFilesTest {
    @TempDir
    private Path folder;

    @Test
    void writesAllOfThem() throws IOException {
        WholeFiles.write(folder, Map.of("a.txt", "one", "b.txt", "two"));

        assertThat(folder.resolve("a.txt")).hasContent("one");
        assertThat(folder.resolve("b.txt")).hasContent("two");
        assertThat(visible()).containsExactlyInAnyOrder("a.txt", "b.txt");
    }

    @Test
    void leavesWhatWasThereWhenWritingFailsHalfWay() throws IOException {
        Path file = Files.writeString(folder.resolve("results.json"), "before");

        assertThatThrownBy(() -> WholeFiles.write(file, out -> {
                    out.write("half".getBytes(StandardCharsets.UTF_8));
                    out.flush();
                    throw new IOException("No space left on device");
                }))
                .isInstanceOf(FileSystemException.class)
                .hasMessage(file + ": No space left on device");

        assertThat(file).hasContent("before");
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).containsExactly(file);
        }
    }

    @Test
    void replacesNoneWhenOneCannotBeWritten() throws IOException {
        Files.writeString(folder.resolve("a.txt"), "before");
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("a.txt", "after");
        texts.put("no such folder/b.txt", "after");

        assertThatThrownBy(() -> WholeFiles.write(folder, texts)).isInstanceOf(IOException.class);

        assertThat(folder.resolve("a.txt")).hasContent("before");
        assertThat(visible()).containsExactly("a.txt");
    }

    @Test
    void namesTheFileThatWasAskedForNotTheOneBesideIt() throws IOException {
        Path taken = Files.createDirectories(folder.resolve("a.txt"));

        assertThatThrownBy(() -> WholeFiles.write(folder, Map.of("a.txt", "text")))
                .isInstanceOfSatisfying(
                        FileSystemException.class,
                        failure -> assertThat(failure.getFile()).isEqualTo(taken.toString()))
                .hasMessageNotContaining(".part");
        assertThatThrownBy(() -> WholeFiles.write(folder, Map.of("missing/b.txt", "text")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage(folder.resolve("missing/b.txt").toString());
    }

    @Test
    void writersAtOnceNeverMixTheirFiles() throws Exception {
        List<Thread> writers = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            String mine = String.valueOf(writer).repeat(100_000);
            writers.add(started(mine));
        }
        for (Thread writer : writers) {
            writer.join();
        }

        String first = Files.readString(folder.resolve("0"));
        for (int file = 1; file < 5; file++) {
            assertThat(folder.resolve(String.valueOf(file))).hasContent(first);
        }
        assertThat(first).hasSize(100_000);
    }

    private Thread started(String text) {
        Thread thread = new Thread(() -> write(text));
        thread.start();
        return thread;
    }

    private void write(String text) {
        try {
            for (int round = 0; round < 20; round++) {
                WholeFiles.write(folder, Map.of("0", text, "1", text, "2", text, "3", text, "4", text));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private List<String> visible() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("."))
                    .toList();
        }
    }
}
