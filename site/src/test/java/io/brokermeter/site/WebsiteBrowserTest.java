package io.brokermeter.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages from disk in the Chromium of this machine, which says what its scripts made of them. */
@Tag("slow")
class WebsiteBrowserTest {

    private static final long LIMIT_SECONDS = 240;

    @TempDir
    Path directory;

    private Document opened(String page) throws Exception {
        String program = Stream.of("chromium", "chromium-browser", "google-chrome")
            .flatMap(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(path -> Path.of(path, name)))
            .filter(Files::isExecutable).map(Path::toString).findFirst()
            .orElseThrow(() -> new AssertionError("There is no Chromium on the PATH: install the package chromium."));
        Path said = directory.resolve("dom");
        Process process = new ProcessBuilder(List.of(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--user-data-dir=" + directory.resolve("profile"), "--virtual-time-budget=20000", "--dump-dom",
            directory.resolve("site").toUri() + page)).redirectOutput(said.toFile())
            .redirectError(directory.resolve("log").toFile()).start();
        boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        assertThat(ended).as("the end of Chromium: " + Files.readString(directory.resolve("log"))).isTrue();
        return Jsoup.parse(said);
    }

    @Test
    void theSearchFindsAnOptionAndLeadsToItsHeading() throws Exception {
        Website.make(Path.of(System.getProperty("brokermeter.root")), directory.resolve("site"));
        Document found = opened("docs/drivers/core.html?q=--max-pending");
        assertThat(found.select("#found h1").text()).contains("“--max-pending”");
        assertThat(found.select("#found a").eachAttr("href")).contains("../../docs/commands.html#load");
        assertThat(found.select("#found mark").eachText()).contains("--max-pending");
        assertThat(found.select("article").hasAttr("hidden")).isTrue();
        assertThat(found.select("#theme").text()).isIn("Dark", "Light");

        assertThat(opened("index.html?q=zebra+crossing").select("#found h1").text()).startsWith("Nothing has");
    }
}
