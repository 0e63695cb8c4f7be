package io.brokermeter.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.contract.browser.Accessibility;
import io.brokermeter.contract.browser.Chromium;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages from disk in the Chromium of this machine: searched, operated by the keyboard, read light and dark. */
@Tag("slow")
class WebsiteBrowserTest {

    @TempDir
    Path directory;

    private Chromium browser;

    @BeforeEach
    void start() throws Exception {
        Website.make(Path.of(System.getProperty("brokermeter.root")), directory.resolve("site"));
        browser = Chromium.start();
    }

    @AfterEach
    void end() throws Exception {
        browser.close();
    }

    /** Opens a page, which must load nothing but files of the site and report no errors. */
    private void open(String page) throws Exception {
        browser.visit(directory.resolve("site").toUri().resolve(page));
        browser.frames();
        assertThat(browser.requests()).isNotEmpty().allMatch(url -> url.startsWith(directory.resolve("site").toUri().toString()));
        assertThat(browser.errors()).isEmpty();
        String pictures = System.getProperty("brokermeter.pictures");
        if (pictures != null) {
            Files.write(Path.of(pictures, "site.png"), browser.picture());
        }
    }

    @Test
    void theSearchIsDoneByKeysAndLeadsToAHeading() throws Exception {
        open("docs/drivers/core.html");
        browser.key("/");
        for (String letter : "--max-pending".split("")) {
            browser.key(letter);
        }
        browser.until("document.querySelectorAll('#found mark').length > 0");
        assertThat(browser.text("#found h1")).contains("\u201c--max-pending\u201d");
        assertThat(browser.eval("document.querySelector('article').hidden")).isEqualTo(true);
        String link = "#found a[href$='docs/commands.html#load']";
        assertThat(new Accessibility(browser).lowContrasts()).as("results").isEmpty();
        for (int i = 0; i < 300 && !Boolean.TRUE.equals(browser.eval("document.activeElement.matches(\"" + link + "\")")); i++) {
            browser.key("Tab");
        }
        browser.key("Enter");
        browser.until("location.href.endsWith('docs/commands.html#load') && document.readyState === 'complete'");
        assertThat(browser.number("document.getElementById('load').getBoundingClientRect().top")).as("in sight").isBetween(0.0, 300.0);

        open("index.html?q=zebra+crossing");
        browser.until("!document.getElementById('found').hidden");
        browser.until("document.getElementById('found').innerText.startsWith('Nothing has')");
        browser.focus("#search");
        browser.key("Escape");
        assertThat(browser.eval("document.querySelector('article').hidden")).as("Escape ends the search").isEqualTo(false);
    }

    @Test
    void aPageIsOperatedByTheKeyboardAndReadLightAndDark() throws Exception {
        open("docs/output.html");
        assertThat(new Accessibility(browser).missedByKeyboard()).isEmpty();
        assertThat(new Accessibility(browser).lowContrasts()).as("light").isEmpty();
        browser.focus("#theme");
        browser.key("Enter");
        assertThat(browser.text("#theme")).isEqualTo("Light");
        browser.frames();
        assertThat(new Accessibility(browser).lowContrasts()).as("dark").isEmpty();

        browser.size(360, 740);
        open("index.html");
        browser.focus("#menu");
        browser.key(" ");
        assertThat(browser.eval("document.getElementById('menu').getAttribute('aria-expanded')")).isEqualTo("true");
        assertThat(browser.text("nav")).contains("Published experiments");
        browser.key("Tab");
        assertThat(browser.eval("document.activeElement.closest('nav') !== null || document.activeElement.closest('header') !== null"))
            .isEqualTo(true);
        assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(360);
    }
}
