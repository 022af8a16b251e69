package io.shardsim.scenarios.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Stdout that records write errors, so that a truncated document is not taken for a complete one. */
final class StandardOutput {
    private final PrintWriter writer;
    private volatile @Nullable IOException first;

    StandardOutput() {
        this(new FileOutputStream(FileDescriptor.out));
    }

    StandardOutput(OutputStream file) {
        OutputStream watched = new FilterOutputStream(file) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                try {
                    out.write(bytes, offset, length);
                } catch (IOException failure) {
                    first = first == null ? failure : first;
                    throw failure;
                }
            }
        };
        writer = new PrintWriter(new BufferedOutputStream(watched), true, StandardCharsets.UTF_8);
    }

    PrintWriter writer() {
        return writer;
    }

    /** Why output is missing; null if it is complete, or if the reader has closed the pipe. */
    @Nullable
    String failure() {
        writer.flush();
        IOException failure = first;
        String message = failure == null ? null : String.valueOf(failure.getMessage());
        return message == null || message.contains("Broken pipe") ? null : message;
    }
}
