package io.shardsim.reports.writing.html;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** Renders documentation pages from Markdown to HTML. */
public final class DocumentPages {
    private static final List<Extension> EXTENSIONS =
            List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
    private static final HtmlRenderer RENDERER =
            HtmlRenderer.builder().extensions(EXTENSIONS).escapeHtml(true).build();
    private static final String MARKDOWN = ".md";

    private DocumentPages() {}

    /**
     * A page.
     *
     * @param content content in HTML
     * @param home address of the site it belongs to
     */
    public record Page(String title, String content, String home) {
        /** Returns the page as text. */
        public String write() {
            StringOutput output = new StringOutput();
            TemplateEngine.createPrecompiled(ContentType.Html)
                    .render(
                            "document.jte",
                            Map.of("page", this, "style", Palette.variables() + ChartScript.text("report.css")),
                            output);
            return output.toString();
        }
    }

    /**
     * Renders a page of Markdown. Links to other pages stay; links to files without a page are replaced by their text.
     *
     * @param others names of the other pages
     */
    public static Page of(String text, Set<String> others, String home) {
        Node document = PARSER.parse(withoutComments(text));
        StringBuilder title = new StringBuilder();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                if (title.isEmpty()) {
                    heading.accept(new Words(title));
                }
                visitChildren(heading);
            }

            @Override
            public void visit(Link link) {
                redirect(link, others);
            }
        });
        return new Page(title.toString(), RENDERER.render(document), home);
    }

    private static final class Words extends AbstractVisitor {
        private final StringBuilder words;

        Words(StringBuilder words) {
            this.words = words;
        }

        @Override
        public void visit(Text text) {
            words.append(text.getLiteral());
        }

        @Override
        public void visit(Code code) {
            words.append(code.getLiteral());
        }
    }

    private static String withoutComments(String text) {
        return text.replaceAll("(?s)<!--.*?-->\n?", "");
    }

    private static void redirect(Link link, Set<String> others) {
        String target = link.getDestination();
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        if (file.isEmpty() || file.startsWith("https://") || file.startsWith("http://")) {
            return;
        }
        if (others.contains(file)) {
            link.setDestination(file.substring(0, file.length() - MARKDOWN.length()) + ".html"
                    + (hash < 0 ? "" : target.substring(hash)));
            return;
        }
        for (Node child = link.getFirstChild(); child != null; child = link.getFirstChild()) {
            link.insertBefore(child);
        }
        link.unlink();
    }
}
