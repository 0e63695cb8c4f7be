package io.brokermeter.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of this documentation, and those of small checkouts with mistakes. */
class WebsiteTest {

    private static final Path ROOT = Path.of(System.getProperty("brokermeter.root"));
    private static final Pattern ELSEWHERE = Pattern.compile("https?:|//[a-z]|@import|url\\(|fetch\\(|XMLHttpRequest|WebSocket|sendBeacon");

    @TempDir
    static Path out;

    @TempDir
    Path directory;

    private static final Map<Path, Document> PAGES = new TreeMap<>();

    @BeforeAll
    static void make() throws IOException {
        int count = Website.make(ROOT, out);
        try (Stream<Path> files = Files.walk(out)) {
            for (Path file : files.filter(one -> one.toString().endsWith(".html")).toList()) {
                PAGES.put(out.relativize(file), Jsoup.parse(file));
            }
        }
        assertThat(PAGES).hasSize(count).hasSizeGreaterThan(30);
    }

    @Test
    void everyLinkLeadsToAPageAFileOrAHeading() {
        List<String> broken = new ArrayList<>();
        PAGES.forEach((path, page) -> {
            for (Element link : page.select("a[href]")) {
                URI target = URI.create(link.attr("href"));
                if (target.isAbsolute()) {
                    assertThat(target.getScheme()).as(path + ": " + target).isEqualTo("https");
                    continue;
                }
                Path file = target.getPath().isEmpty() ? path : path.resolveSibling(target.getPath()).normalize();
                Document other = PAGES.get(file);
                boolean there = other == null ? Files.isRegularFile(out.resolve(file)) && target.getFragment() == null
                    : target.getFragment() == null
                        || other.getElementById(URLDecoder.decode(target.getFragment(), StandardCharsets.UTF_8)) != null;
                if (!there) {
                    broken.add(path + " -> " + target);
                }
            }
        });
        assertThat(broken).isEmpty();
    }

    @Test
    void nothingIsLoadedFromElsewhere() throws IOException {
        for (Map.Entry<Path, Document> page : PAGES.entrySet()) {
            for (Element one : page.getValue().select("[src], link[href], [srcset], [poster], [data]")) {
                String source = one.hasAttr("src") ? one.attr("src") : one.attr("href");
                assertThat(source.startsWith("data:") || Files.isRegularFile(out.resolve(page.getKey()).resolveSibling(source)))
                    .as(page.getKey() + ": " + one).isTrue();
            }
            assertThat(page.getValue().select("iframe, object, embed, form, script:not([src]), style, [style], [onclick]"))
                .as(page.getKey().toString()).isEmpty();
        }
        for (String asset : List.of("site.css", "site.js")) {
            assertThat(ELSEWHERE.matcher(Files.readString(out.resolve(asset))).results().map(MatchResult::group)).as(asset).isEmpty();
        }
    }

    @Test
    void theNavigationHasAllPagesInItsSections() {
        Document start = PAGES.get(Path.of("index.html"));
        assertThat(start.select("nav h2").eachText())
            .containsExactly("Start", "How-to", "Reference", "How it measures", "Published experiments", "How it is built");
        List<Path> linked = start.select("nav a").eachAttr("href").stream().filter(href -> !href.startsWith("#")).map(Path::of).toList();
        assertThat(linked).containsAll(PAGES.keySet()).doesNotHaveDuplicates();
        PAGES.forEach((path, page) -> assertThat(page.select("nav a[aria-current]").eachAttr("href"))
            .as(path.toString()).singleElement().asString().endsWith(path.getFileName().toString()));
    }

    @Test
    void aPageIsReadByWhoeverDoesNotSeeIt() {
        PAGES.forEach((path, page) -> {
            assertThat(page.select("h1")).as("headings of " + path).hasSize(1);
            assertThat(page.select("img:not([alt]), img[alt='']")).as("pictures of " + path).isEmpty();
            assertThat(page.select("html").attr("lang")).isEqualTo("en");
            int level = 1;
            for (Element heading : page.select("article h1, article h2, article h3, article h4, article h5")) {
                int next = heading.tagName().charAt(1) - '0';
                assertThat(next).as(path + ": " + heading.text()).isLessThanOrEqualTo(level + 1);
                level = next;
            }
        });
    }

    @Test
    void theIndexOfTheSearchHasEveryPage() throws IOException {
        String index = Files.readString(out.resolve("site-index.js"));
        PAGES.keySet().forEach(page -> assertThat(index).contains("[\"" + page + "\","));
        assertThat(index).contains("--max-pending").doesNotContain("</script");
    }

    @Test
    void theDocsAreShort() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            List<Path> pages = files.filter(file -> file.toString().endsWith(".md")).toList();
            assertThat(words(pages)).as("words of docs/ without tables").isLessThanOrEqualTo(35_000);
        }
        assertThat(words(List.of(ROOT.resolve("docs/comparison.md")))).isLessThanOrEqualTo(1_200);
    }

    private static long words(List<Path> pages) throws IOException {
        long words = 0;
        for (Path page : pages) {
            words += Files.readAllLines(page).stream().filter(line -> !line.startsWith("|") && !line.isBlank())
                .mapToLong(line -> line.strip().split("\\s+").length).sum();
        }
        return words;
    }

    private void write(String file, String text) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    @Test
    void aPageThatNobodyWouldFindIsRefused() throws IOException {
        write("README.md", "# A\n\n## Documentation\n\n- **Start**: [a](README.md)\n");
        write("docs/lost.md", "# Lost\n");
        assertThatThrownBy(() -> Website.make(directory, directory.resolve("site"))).hasMessageContaining("docs/lost.md");
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/gone.md", "docs/gone.png", "docs"})
    void aLinkThatLeadsNowhereIsRefused(String target) throws IOException {
        write("README.md", "# A\n\nSee [it](" + target + ").\n\n## Documentation\n\n- **Start**: [a](README.md)\n");
        write("docs/readme.txt", "");
        assertThatThrownBy(() -> Website.make(directory, directory.resolve("site"))).hasMessageContaining("README.md links to " + target);
    }
}
