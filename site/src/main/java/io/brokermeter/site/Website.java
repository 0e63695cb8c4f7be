package io.brokermeter.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Document;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.ListBlock;
import org.commonmark.node.ListItem;
import org.commonmark.node.Node;
import org.commonmark.node.StrongEmphasis;

/**
 * Makes the documentation's pages. Each Markdown file becomes a page at its own place, so that relative links stay as they are; what they
 * link to beside is copied. The navigation is the list below the heading "Documentation" in README.md: a section for each item, with its
 * links in their order. A page of {@code docs/} that the list lacks is an error, since nobody would find it.
 *
 * <p>The pages load nothing from the network and also work from disk.
 */
public final class Website {

    private static final Path START = Path.of("README.md");
    private static final List<String> ASSETS = List.of("site.css", "site.js");

    private final Path root;
    private final Path out;
    /** The pages in the order of the navigation, by their files, relative to the root. */
    private final Map<Path, SitePage> pages = new TreeMap<>();
    private final List<Section> sections = new ArrayList<>();

    /** A section of the navigation: its title, and its pages with the words of their links. */
    record Section(String title, Map<Path, String> pages) {}

    private Website(Path root, Path out) {
        this.root = root;
        this.out = out;
    }

    /** Makes the pages of the checkout in the first argument, in the directory of the second, and prints how many there are. */
    public static void main(String[] arguments) throws IOException {
        int count = make(Path.of(arguments[0]), Path.of(arguments[1]));
        System.out.println(count + " pages: " + Path.of(arguments[1]).resolve("index.html"));
    }

    /**
     * Makes the pages.
     *
     * @param root the checkout
     * @param out the directory of the pages, which is made if it is missing; what it has is overwritten
     * @return the number of pages
     * @throws IllegalArgumentException when a page of {@code docs/} is not in the navigation, or a link leads nowhere
     */
    public static int make(Path root, Path out) throws IOException {
        Website site = new Website(root.toAbsolutePath().normalize(), out);
        site.read();
        site.write();
        return site.pages.size();
    }

    private void read() throws IOException {
        SitePage start = SitePage.read(root, START);
        pages.put(START, start);
        for (Node item = documentation(start.document()).getFirstChild(); item instanceof ListItem; item = item.getNext()) {
            Section section = section((ListItem) item);
            sections.add(section);
            for (Path file : section.pages().keySet()) {
                if (!pages.containsKey(file)) {
                    pages.put(file, SitePage.read(root, file));
                }
            }
        }
        TreeSet<Path> missing = new TreeSet<>();
        try (Stream<Path> files = Files.walk(root.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).map(root::relativize).forEach(missing::add);
        }
        missing.removeAll(pages.keySet());
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("Not in the list below 'Documentation' of README.md, where each page belongs: " + missing);
        }
    }

    private static ListBlock documentation(Document start) {
        boolean inside = false;
        for (Node node = start.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading) {
                inside = SitePage.text(heading).equals("Documentation");
            } else if (inside && node instanceof ListBlock list) {
                return list;
            }
        }
        throw new IllegalArgumentException("README.md has no list below a heading 'Documentation'.");
    }

    private static Section section(ListItem item) {
        Section section = new Section(title(item), new LinkedHashMap<>());
        item.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                section.pages().put(Path.of(link.getDestination()), SitePage.text(link));
            }
        });
        return section;
    }

    private static String title(ListItem item) {
        Node first = item.getFirstChild().getFirstChild();
        return first instanceof StrongEmphasis ? SitePage.text(first) : "";
    }

    private void write() throws IOException {
        Files.createDirectories(out);
        for (String asset : ASSETS) {
            try (InputStream in = Objects.requireNonNull(Website.class.getResourceAsStream(asset))) {
                Files.copy(in, out.resolve(asset), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        StringBuilder index = new StringBuilder("brokermeterIndex([\n");
        for (SitePage page : pages.values()) {
            page.index(index);
            adaptLinks(page);
            Path file = out.resolve(page.target());
            Files.createDirectories(file.getParent());
            Files.writeString(file, page.html(sections));
        }
        index.append("]);\n");
        Files.writeString(out.resolve("site-index.js"), index);
    }

    /** Lets links to Markdown files lead to their pages, and copies other files that are linked or shown. */
    private void adaptLinks(SitePage page) {
        page.document().accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                link.setDestination(adapted(page, link.getDestination()));
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                image.setDestination(adapted(page, image.getDestination()));
            }
        });
    }

    private String adapted(SitePage page, String link) {
        if (link.startsWith("#") || URI.create(link).isAbsolute()) {
            return link;
        }
        String[] parts = link.split("#", 2);
        Path file = Path.of("/").resolve(page.file()).resolveSibling(parts[0]).normalize();
        Path relative = Path.of("/").relativize(file);
        String anchor = parts.length > 1 ? "#" + parts[1] : "";
        if (pages.containsKey(relative)) {
            return page.to(relative) + anchor;
        }
        Path source = root.resolve(relative);
        if (!Files.isRegularFile(source)) {
            throw new IllegalArgumentException(page.file() + " links to " + link + ", which is no file.");
        }
        try {
            Path copy = out.resolve(relative);
            Files.createDirectories(copy.getParent());
            Files.copy(source, copy, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return link;
    }
}
