package io.shardsim.reports.writing;

import java.util.List;

/** What a command says on the terminal: paragraphs that are broken between words, and tables. */
public final class Paragraphs {
    private final int width;
    private final StringBuilder out = new StringBuilder();

    /** @param width columns of the terminal */
    public Paragraphs(int width) {
        this.width = width;
    }

    /** A paragraph, its further lines behind two blanks. */
    public Paragraphs line(String text) {
        return line(text, "  ");
    }

    /** A paragraph, its further lines behind an indent. */
    public Paragraphs line(String text, String indent) {
        PlainText.wrapped(out, text, indent, width);
        return this;
    }

    /** An item, its further lines two blanks behind its own indent; every blank stays. */
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

    /** Rows of cells, those of the first columns flush left. */
    public Paragraphs table(List<List<String>> rows, int words) {
        TextTable.lines(rows, words, width).forEach(row -> asIs(row.stripTrailing() + "\n"));
        return this;
    }

    /** Text that is broken already. */
    public Paragraphs asIs(String text) {
        out.append(text);
        return this;
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
