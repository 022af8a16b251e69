package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StandardOutputTest {
    private static StandardOutput refusing(String why) {
        return new StandardOutput(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(why);
            }
        });
    }

    @Test
    void whatIsWrittenArrives() {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        StandardOutput out = new StandardOutput(file);
        out.writer().print("5 µs");
        assertThat(out.failure()).isNull();
        assertThat(file.toString(StandardCharsets.UTF_8)).isEqualTo("5 µs");
    }

    @Test
    void aFullDiskIsTold() {
        StandardOutput out = refusing("No space left on device");
        out.writer().println("lost");
        assertThat(out.failure()).isEqualTo("No space left on device");
    }

    @Test
    void aReaderWhoHasSeenEnoughIsNoFailure() {
        StandardOutput out = refusing("Broken pipe");
        out.writer().println("unread");
        assertThat(out.failure()).isNull();
    }
}
