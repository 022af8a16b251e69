package io.shardsim.reports.writing;

/** Lines of text as a terminal shows them: broken at the width, each coloured as a whole. */
final class StyledText {
    /** What a line is, and how it is shown where colours are. */
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

    /** A paragraph, further lines of it behind an indent. */
    void paragraph(String text, String indent, Look look) {
        StringBuilder lines = new StringBuilder();
        PlainText.wrapped(lines, text, indent, style.width());
        lines.toString().lines().forEach(line -> line(line, look));
    }

    void paragraph(String text, Look look) {
        paragraph(text, "  ", look);
    }

    /** A line as it is. */
    void line(String line, Look look) {
        boolean coloured = style.colour() && !look.code.isEmpty() && !line.isEmpty();
        out.append(coloured ? ESCAPE + look.code + "m" + line + ESCAPE + "0m" : line)
                .append('\n');
    }

    /** An empty line, unless there is one. */
    void gap() {
        if (out.length() > 0 && !out.toString().endsWith("\n\n")) {
            out.append('\n');
        }
    }

    String text() {
        return out.toString();
    }
}
