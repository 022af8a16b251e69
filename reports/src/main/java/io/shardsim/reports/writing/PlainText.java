package io.shardsim.reports.writing;

import io.shardsim.simulator.yaml.YamlReader;
import java.util.regex.Pattern;

/** Text that every terminal can show and none can be steered by, and its lines. */
final class PlainText {
    /** A blank between words, but not before the unit of a figure, nor within an option that a reader may paste. */
    private static final Pattern BREAK =
            Pattern.compile("(?<=\\S)(?<!--set) +(?!(?:s|ms|us|ns|GiB|GPUs?|B|%)(?:[\\s,.;:)]|$))");

    private PlainText() {}

    /** ASCII where there is any, a question mark for what controls a terminal. */
    static String printable(String text) {
        return YamlReader.oneLineOf(text)
                .replace('\u2013', '-')
                .replace('\u201c', '"')
                .replace('\u201d', '"')
                .replace('\u2026', '~');
    }

    /** Breaks at blanks; a longer word stands alone and may stick out. */
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
