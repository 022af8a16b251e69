package io.shardsim.reports.writing;

/** Terminal text, wrapped at the width, with one colour per line. */
final class StyledText {
    /** The kind of a line, and its look in colour. */
    enum Look {
        PLAIN(""),
        TITLE("1"),
        BEST("1;32"),
        WARNING("33"),
        ASIDE("2");

        private final String code;

        Look(String code) {
            this.code = code;
        }
    }

    private static final String ESCAPE = "\u001b[";

    private final TextStyle style;
    private final StringBuilder out = new StringBuilder();

    StyledText(TextStyle style) {
        this.style = style;
    }

    TextStyle style() {
        return style;
    }

    /** Adds a paragraph with indented continuation lines. */
    void paragraph(String text, String indent, Look look) {
        StringBuilder lines = new StringBuilder();
        PlainText.wrapped(lines, text, indent, style.width());
        lines.toString().lines().forEach(line -> line(line, look));
    }

    void paragraph(String text, Look look) {
        paragraph(text, "  ", look);
    }

    /** Adds a line unchanged. */
    void line(String line, Look look) {
        boolean coloured = style.colour() && !look.code.isEmpty() && !line.isEmpty();
        out.append(coloured ? ESCAPE + look.code + "m" + line + ESCAPE + "0m" : line)
                .append('\n');
    }

    /** Adds an empty line, unless there is one. */
    void gap() {
        if (out.length() > 0 && !out.toString().endsWith("\n\n")) {
            out.append('\n');
        }
    }

    String text() {
        return out.toString();
    }
}
