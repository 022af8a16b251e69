package io.shardsim.reports.writing;

import io.shardsim.simulator.yaml.YamlReader;
import java.util.regex.Pattern;

/** Makes text safe for any terminal, and wraps it. */
final class PlainText {
    /** A blank where a line may break: between words, but not before the unit of a figure, nor within an option to paste. */
    private static final Pattern BREAK =
            Pattern.compile("(?<=\\S)(?<!--set) +(?!(?:s|ms|us|ns|GiB|GPUs?|B|%)(?:[\\s,.;:)]|$))");

    private PlainText() {}

    /** Replaces en dashes, curly double quotes and ellipses with ASCII, and control characters with question marks. Other characters stay. */
    static String printable(String text) {
        return YamlReader.oneLineOf(text)
                .replace('\u2013', '-')
                .replace('\u201c', '"')
                .replace('\u201d', '"')
                .replace('\u2026', '~');
    }

    /** Wraps text at blanks; a longer word gets its own line and may overflow. */
    static void wrapped(StringBuilder out, String text, String indent, int width) {
        String line = "";
        boolean first = true;
        for (String word : BREAK.split(printable(text))) {
            String longer = line.isEmpty() ? (first ? word : indent + word) : line + " " + word;
            if (longer.length() > width && !line.isEmpty()) {
                out.append(line).append('\n');
                longer = indent + word;
            }
            line = longer;
            first = false;
        }
        out.append(line).append('\n');
    }
}
