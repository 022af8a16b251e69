package io.shardsim.scenarios.cli;

import io.shardsim.simulator.yaml.YamlReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Messages for a terminal, without the control characters that file names and arguments may contain. */
final class PlainWriter extends PrintWriter {
    PlainWriter(OutputStream out) {
        super(out, true, StandardCharsets.UTF_8);
    }

    @Override
    public void write(String text, int offset, int length) {
        StringBuilder plain = new StringBuilder(length);
        String[] lines = text.substring(offset, offset + length).split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            plain.append(i == 0 ? "" : "\n").append(YamlReader.oneLineOf(lines[i]));
        }
        super.write(plain.toString(), 0, plain.length());
    }
}
