package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.contract.browser.Chromium;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A run whose page is watched while it lasts. */
class ServedRunTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    private static final Pattern URL = Pattern.compile("(?m)^Live page: (http://127\\.0\\.0\\.1:\\d+/[0-9a-f]{32}/)$");

    private static final Pattern RATE_OF_BLOCK = Pattern.compile("(?m)^--- sent: +(\\d+) msg/sec$");
    private static final Pattern RATE_TOLD = Pattern.compile("(?m)^(?:Warm-up: )?([\\d,.]+)/s of ");

    private Running start(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("client", "--url", "loopback://a", "--rate", "200", "--interval", "200ms",
            "--out", "run", "--serve"));
        arguments.addAll(List.of(more));
        return tool().start(arguments.toArray(String[]::new));
    }

    private static URI page(Running run) throws InterruptedException {
        run.awaitOut("Live page: ");
        Matcher url = URL.matcher(run.out());
        assertThat(url.find()).as(run.out()).isTrue();
        return URI.create(url.group(1));
    }

    private static void keep(Chromium browser, String name) throws Exception {
        String pictures = System.getProperty("brokermeter.pictures");
        if (pictures != null) {
            Files.write(Path.of(pictures, name + ".png"), browser.picture());
        }
    }

    @Test
    void thePageGrowsUntilItsButtonEndsTheRunAndIsTheReportThen() throws Exception {
        try (Chromium browser = Chromium.start(); Running run = start("--duration", "600", "queue://Q")) {
            URI page = page(run);
            browser.open(page);
            browser.until("document.getElementById('now').textContent.includes('200/s')");
            browser.until("brokermeter.all.some(c => c.spec.id === 'heat' && c.x.length > 9)");
            assertThat(browser.text("#verdict")).contains("Still running", "200/s");
            assertThat(browser.text("h1")).contains("queue://Q", "200/s");
            assertThat(browser.text("#now")).contains("nothing failed or duplicated", " left");
            keep(browser, "live");
            double shown = browser.number("brokermeter.all[0].x.at(-1)");
            browser.eval("new MutationObserver(() => { window.changes = (window.changes || 0) + 1; })"
                + ".observe(document.getElementById('now'), { childList: true })");
            browser.drag("#rate .u-over", 0.2, 0.4, "window.changes > 3");
            browser.until("brokermeter.all[0].x.at(-1) > " + (shown + 0.5));
            assertThat(browser.eval("document.getElementById('reset').hidden")).as("what the user zoomed to stays").isEqualTo(false);
            double drawn = browser.number("brokermeter.all[0].x.at(-1)");
            browser.eval("brokermeter.all.forEach(chart => { chart.renew = () => false; })");
            browser.until("brokermeter.all[0].x.at(-1) > " + drawn);
            assertThat(browser.eval("document.getElementById('reset').hidden")).as("also in charts made anew").isEqualTo(false);
            assertThat(browser.requests()).as("requests").allMatch(url -> url.startsWith(page.toString())).hasSize(2);
            // Another window.
            browser.eval("window.told = []; window.other = new EventSource('events'); "
                + "other.addEventListener('now', e => told.push(JSON.parse(e.data).text)); 0");
            assertThat(isShown(browser, "fault")).as("the run has no faults").isFalse();
            browser.click("#faster");
            browser.until("document.getElementById('now').textContent.includes(' of 220/s')");
            browser.click("#slower");
            browser.until("document.getElementById('now').textContent.includes(' of 198/s')");
            browser.click("#end");
            Finished ended = run.await().exitsAtAnyRate(130);
            assertThat(ended.out()).contains("SIGINT");
            // Every interval that a window was told of is one of the terminal, with the same rate.
            List<Double> rates = rates(RATE_OF_BLOCK, ended.out());
            for (double rate : rates(RATE_TOLD, String.valueOf(browser.eval("told.join('\\n')")))) {
                while (!rates.isEmpty() && Math.abs(rates.getFirst() - rate) > 1) {
                    rates.removeFirst();
                }
                assertThat(rates).as(rate + "/s").isNotEmpty();
                rates.removeFirst();
            }
            browser.until("document.documentElement.dataset.state === 'report'");
            // A busy machine's verdict is another one.
            assertThat(browser.text("#verdict")).doesNotContain("Still running");
            assertThat(browser.text("body")).contains("Ended by Ctrl-C");
            assertThat(browser.text("#ledger")).contains(" expected = ");
            assertThat(browser.text("main")).contains("the rate was changed 2 times");
            assertThat(browser.eval("document.getElementById('live') === null")).isEqualTo(true);
            assertThat(browser.errors()).isEmpty();
            keep(browser, "live-end");
            assertThat(
                browser.eval("(async () => { const made = URL.createObjectURL; let text; URL.createObjectURL = b => { text = b.text(); "
                    + "return made(b); }; document.getElementById('save').click(); return await text; })()"))
                .as("saved")
                .isEqualTo(PROGRAM.run("report", directory.resolve("run").toString(), "--html", "-").exits(0).out());
        }
    }

    private static List<Double> rates(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> Double.parseDouble(found.group(1).replace(",", "")))
            .collect(Collectors.toCollection(ArrayList::new));
    }

    private static boolean isShown(Chromium browser, String id) {
        return Boolean.TRUE.equals(browser.eval("document.getElementById('" + id + "').checkVisibility()"));
    }

    @Test
    void aButtonMakesTheNextFaultAndControlCEndsTheServerToo() throws Exception {
        try (Chromium browser = Chromium.start();
                Running run = start("--fault", "run echo hello at 500s", "--duration", "600", "queue://Q")) {
            URI page = page(run);
            browser.open(page);
            browser.until("document.getElementById('fault').textContent === 'Fault now: run echo hello'");
            assertThat(isShown(browser, "fault")).isTrue();
            assertThat(isShown(browser, "faster")).as("a run with faults keeps its rate").isFalse();
            keep(browser, "live-fault");
            browser.click("#fault");
            run.awaitErr("fault 1, run echo hello, was asked for by hand at ").awaitErr("ended with exit status 0");
            browser.until("!document.getElementById('fault').checkVisibility()");
            browser.until("document.querySelector('main').textContent.includes('was asked for by hand')");
            assertThat(browser.errors()).isEmpty();
            run.signal("INT").await().exitsAtAnyRate(130);
            try (Socket socket = new Socket()) {
                assertThat(catchThrowable(() -> socket
                    .connect(new InetSocketAddress(page.getHost(), page.getPort())))).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void whatCannotBeServedIsSaidBeforeAnythingConnects() throws Exception {
        PROGRAM.run("client", "--url", "loopback://a", "--serve", "nonsense", "queue://Q").exits(2)
            .saysOnly("'nonsense' is no place for --serve");
        PROGRAM.run("client", "--url", "loopback://a", "--out", "none", "--serve", "queue://Q").exits(2).saysOnly("--serve", "--out none");
        try (Running run = start("--duration", "600", "queue://Q")) {
            String port = String.valueOf(page(run).getPort());
            PROGRAM.run("client", "--url", "loopback://b", "--serve", port, "queue://Q").exits(2)
                .saysOnly("The page of the run cannot be served at " + port);
        }
    }
}
