package io.shardsim.reports.writing.html;

/** Builds one drawing. Coordinates are rounded to a tenth of a pixel; all text is escaped. */
final class Svg {
    private final StringBuilder out = new StringBuilder(4096);

    /**
     * @param description what a screen reader says in place of the drawing
     */
    Svg(int width, int height, String description) {
        out.append("<svg viewBox=\"0 0 ")
                .append(width)
                .append(' ')
                .append(height)
                .append("\" role=\"img\" aria-label=\"");
        escape(description);
        out.append("\">");
    }

    Svg line(double x1, double y1, double x2, double y2, String style) {
        out.append("<line x1=\"");
        coordinate(x1);
        out.append("\" y1=\"");
        coordinate(y1);
        out.append("\" x2=\"");
        coordinate(x2);
        out.append("\" y2=\"");
        coordinate(y2);
        return styled(style).append("/>");
    }

    /** A rectangle that says what it is when a pointer rests on it; no title where it is empty. */
    Svg rect(double x, double y, double width, double height, String style, String title) {
        out.append("<rect x=\"");
        coordinate(x);
        out.append("\" y=\"");
        coordinate(y);
        out.append("\" width=\"");
        coordinate(width);
        out.append("\" height=\"");
        coordinate(height);
        styled(style);
        return titled("rect", title);
    }

    Svg polyline(double[] xs, double[] ys, String style) {
        out.append("<polyline points=\"");
        points(xs, ys);
        return append("\"").styledAttribute(style).append("/>");
    }

    /** An area that says what it is when a pointer rests on it. */
    Svg polygon(double[] xs, double[] ys, String style, String title) {
        out.append("<polygon points=\"");
        points(xs, ys);
        append("\"").styledAttribute(style);
        return titled("polygon", title);
    }

    private void points(double[] xs, double[] ys) {
        for (int i = 0; i < xs.length; i++) {
            out.append(i == 0 ? "" : " ");
            coordinate(xs[i]);
            out.append(',');
            coordinate(ys[i]);
        }
    }

    /** One of four shapes, so that series differ without colour. */
    Svg marker(double x, double y, int shape, String style, String title) {
        out.append("<path d=\"");
        switch (shape % 4) {
            case 0 -> at('M', x - 4.5, y).append("a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z");
            case 1 -> at('M', x - 4, y - 4).append("h8v8h-8z");
            case 2 -> at('M', x, y - 5).append("l5 9h-10z");
            default -> at('M', x, y - 5.5).append("l5.5 5.5l-5.5 5.5l-5.5 -5.5z");
        }
        append("\"").styledAttribute(style);
        return titled("path", title);
    }

    Svg text(double x, double y, String anchor, String style, String text) {
        out.append("<text x=\"");
        coordinate(x);
        out.append("\" y=\"");
        coordinate(y);
        out.append("\" text-anchor=\"").append(anchor);
        styled(style);
        out.append('>');
        escape(text);
        return append("</text>");
    }

    String close() {
        return out.append("</svg>").toString();
    }

    private Svg titled(String element, String title) {
        if (title.isEmpty()) {
            return append("/>");
        }
        out.append("><title>");
        escape(title);
        out.append("</title></").append(element).append('>');
        return this;
    }

    private Svg at(char command, double x, double y) {
        out.append(command);
        coordinate(x);
        out.append(' ');
        coordinate(y);
        return this;
    }

    /** Ends the attribute before and adds the class. */
    private Svg styled(String style) {
        out.append('"');
        return styledAttribute(style);
    }

    private Svg styledAttribute(String style) {
        if (!style.isEmpty()) {
            out.append(" class=\"").append(style).append('"');
        }
        return this;
    }

    private Svg append(String markup) {
        out.append(markup);
        return this;
    }

    private void coordinate(double value) {
        long tenths = Math.round(value * 10);
        if (tenths < 0) {
            out.append('-');
            tenths = -tenths;
        }
        out.append(tenths / 10);
        if (tenths % 10 != 0) {
            out.append('.').append(tenths % 10);
        }
    }

    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> out.append(c < ' ' && c != '\n' && c != '\t' ? '\ufffd' : c);
            }
        }
    }
}
