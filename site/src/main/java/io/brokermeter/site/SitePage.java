package io.brokermeter.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Document;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** A page of the documentation: the Markdown file it comes from, and what it becomes. Links in its document may be changed before. */
final class SitePage {

    private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create(), HeadingAnchorExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
    /** Raw HTML is that of our own files: notes that open. */
    private static final HtmlRenderer RENDERER = HtmlRenderer.builder().extensions(EXTENSIONS).escapeHtml(false).build();

    private final Path file;
    private final Document document;
    private final List<Part> parts = new ArrayList<>();

    /** A heading with what stands below it up to the next one. */
    private record Part(String anchor, int level, String title, StringBuilder text) {}

    private SitePage(Path file, Document document) {
        this.file = file;
        this.document = document;
        // The same names as the anchors that the extension makes, which are those of the usual hosts of Markdown.
        IdGenerator ids = IdGenerator.builder().build();
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading) {
                parts.add(new Part(ids.generateId(text(heading)), heading.getLevel(), text(heading), new StringBuilder()));
            } else if (!parts.isEmpty()) {
                parts.getLast().text().append(text(node)).append(' ');
            }
        }
        if (parts.isEmpty() || parts.getFirst().level() != 1) {
            throw new IllegalArgumentException(file + " does not begin with a heading.");
        }
    }

    /** Reads a page whose file is relative to the root. */
    static SitePage read(Path root, Path file) throws IOException {
        return new SitePage(file, (Document) PARSER.parse(Files.readString(root.resolve(file))));
    }

    Path file() {
        return file;
    }

    Document document() {
        return document;
    }

    private String title() {
        return parts.getFirst().title();
    }

    /** Returns the path of the page, relative to the root of the site. */
    String target() {
        return target(file);
    }

    private static String target(Path file) {
        return file.toString().equals("README.md") ? "index.html" : file.toString().replaceFirst("\\.md$", ".html");
    }

    /** Returns the way from this page to that of another file. */
    String to(Path other) {
        return up() + target(other);
    }

    private String up() {
        return "../".repeat(file.getNameCount() - 1);
    }

    /** Appends the entries of the search: page, title, heading, anchor and text of each part. */
    void index(StringBuilder index) {
        for (Part part : parts) {
            index.append('[').append(quoted(target())).append(',').append(quoted(title())).append(',')
                .append(quoted(part == parts.getFirst() ? "" : part.title())).append(',').append(quoted(part.anchor())).append(',')
                .append(quoted(part.text().toString().replaceAll("\\s+", " ").strip())).append("],\n");
        }
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\u2028", " ") + '"';
    }

    /** Returns the plain text of a node and all below it. */
    static String text(Node node) {
        StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text one) {
                text.append(one.getLiteral());
            }

            @Override
            public void visit(Code one) {
                text.append(one.getLiteral());
            }

            @Override
            public void visit(SoftLineBreak one) {
                text.append(' ');
            }

            @Override
            public void visit(HardLineBreak one) {
                text.append(' ');
            }

            @Override
            public void visit(FencedCodeBlock one) {
                text.append(one.getLiteral()).append(' ');
            }

            @Override
            public void visit(IndentedCodeBlock one) {
                text.append(one.getLiteral()).append(' ');
            }

            @Override
            public void visit(HtmlBlock one) {
                text.append(one.getLiteral().replaceAll("<!--.*?-->|<[^>]*>", " "));
            }

            @Override
            public void visit(CustomNode one) {
                visitChildren(one);
                if (one instanceof TableCell) {
                    text.append(' ');
                }
            }

            @Override
            protected void visitChildren(Node parent) {
                super.visitChildren(parent);
                if (parent instanceof org.commonmark.node.Block && !(parent instanceof Heading)) {
                    text.append(' ');
                }
            }
        });
        return text.toString();
    }

    /** Returns the page, with the navigation of the whole site. */
    String html(List<Website.Section> sections) {
        String body = RENDERER.render(document).replace("<table>", "<div class=\"scroll\"><table>").replace("</table>", "</table></div>");
        return """
            <!DOCTYPE html>
            <html lang="en" data-up="%1$s">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>%2$s</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="%1$ssite.css">
            <script src="%1$ssite.js"></script>
            </head>
            <body>
            <a class="skip" href="#text">Skip to the text</a>
            <header>
            <a class="home" href="%1$sindex.html">brokermeter</a>
            <input id="search" type="search" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off" spellcheck="false" hidden>
            <button id="theme" type="button" hidden>Dark</button>
            <button id="menu" type="button" aria-expanded="false" aria-controls="pages" hidden>Pages</button>
            </header>
            <nav id="pages" aria-label="Pages">
            %3$s</nav>
            <main id="text" tabindex="-1">
            <section id="found" aria-live="polite" hidden></section>
            <article>
            %4$s</article>
            <footer>Made from %5$s.</footer>
            </main>
            </body>
            </html>
            """
            .formatted(up(), escaped(file.equals(Path.of("README.md")) ? title() : title() + " - brokermeter"), navigation(sections), body,
                escaped(file.toString()));
    }

    private String navigation(List<Website.Section> sections) {
        StringBuilder html = new StringBuilder();
        for (Website.Section section : sections) {
            html.append("<h2>").append(escaped(section.title())).append("</h2>\n<ul>\n");
            for (Map.Entry<Path, String> page : section.pages().entrySet()) {
                boolean here = page.getKey().equals(file);
                html.append("<li><a href=\"").append(to(page.getKey())).append(here ? "\" aria-current=\"page\">" : "\">")
                    .append(escaped(page.getValue())).append("</a>");
                if (here) {
                    contents(html);
                }
                html.append("</li>\n");
            }
            html.append("</ul>\n");
        }
        return html.toString();
    }

    private void contents(StringBuilder html) {
        List<Part> shown = parts.stream().filter(part -> part.level() == 2).toList();
        if (shown.size() > 1) {
            html.append("<ul>");
            shown.forEach(part -> html.append("<li><a href=\"#").append(part.anchor()).append("\">").append(escaped(part.title()))
                .append("</a></li>"));
            html.append("</ul>");
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
