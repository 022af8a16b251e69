package io.shardsim.reports.writing;

import java.util.List;

/** Terminal output of a command: wrapped paragraphs, and tables. */
public final class Paragraphs {
    private final int width;
    private final StringBuilder out = new StringBuilder();

    /** @param width terminal width in columns */
    public Paragraphs(int width) {
        this.width = width;
    }

    /** Adds a paragraph with continuation lines indented by two blanks. */
    public Paragraphs line(String text) {
        return line(text, "  ");
    }

    /** Adds a paragraph with indented continuation lines. */
    public Paragraphs line(String text, String indent) {
        PlainText.wrapped(out, text, indent, width);
        return this;
    }

    /** Adds an item with continuation lines two blanks beyond its indent; keeps every blank. */
    public Paragraphs item(String indent, String text) {
        StringBuilder line = new StringBuilder(indent);
        for (String word : text.split(" ", -1)) {
            if (line.length() > indent.length() + 2 && line.length() + 1 + word.length() > width) {
                out.append(line).append('\n');
                line = new StringBuilder(indent).append("  ");
            } else if (line.length() > indent.length()) {
                line.append(' ');
            }
            line.append(word);
        }
        out.append(line).append('\n');
        return this;
    }

    /** Adds rows of cells, with the first columns left-aligned. */
    public Paragraphs table(List<List<String>> rows, int words) {
        TextTable.lines(rows, words, width).forEach(row -> asIs(row.stripTrailing() + "\n"));
        return this;
    }

    /** Adds text that is already wrapped. */
    public Paragraphs asIs(String text) {
        out.append(text);
        return this;
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
