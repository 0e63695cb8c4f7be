package io.brokermeter.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.document.JsonText;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LivePageTest {

    private static final RunShape SHAPE = new RunShape(true, true, true, Duration.ofSeconds(60), 0);

    @TempDir
    Path directory;

    private final AtomicInteger stops = new AtomicInteger();
    private final MadeControls controls = new MadeControls(() -> stops.incrementAndGet() > 1);

    private RunDirectory files() {
        return RunDirectory.open(directory.resolve("run"), "name: made\n", SHAPE, RunEnvironment.now("0.1.0"), List.of(), null);
    }

    private LivePage open(RunDirectory files) {
        return LivePage.open("0", files.directory(), SHAPE, controls);
    }

    /** Adds an interval of a second to the files of a run, and tells the page. */
    private static void second(int index, String phase, RunDirectory files, LivePage page) throws Exception {
        Histogram samples = Distribution.empty();
        samples.recordValueWithCount(3_000_000, 1000);
        Interval interval = Interval.of(its -> {
            its.index = index;
            its.phase = phase;
            its.startEpochNanos = index * 1_000_000_000L;
            its.endEpochNanos = its.startEpochNanos + 1_000_000_000L;
            its.elapsedNanos = its.endEpochNanos;
            its.counts = Counts.NONE.with(Count.SENT, 1000).with(Count.RECEIVED, 1000);
            its.measured = Map.of(Metric.RESPONSE, new Distribution(samples, 0, 0));
        });
        files.interval(interval);
        page.interval(interval);
    }

    private static HttpResponse<String> ask(String method, String url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(URI.create(url)).method(method, HttpRequest.BodyPublishers.noBody()).build(),
                HttpResponse.BodyHandlers.ofString());
        }
    }

    /** Sends a GET request with a Host header; the rest is up to the caller. */
    private static Socket get(String url, String path, String host) throws IOException {
        URI uri = URI.create(url);
        Socket socket = new Socket(uri.getHost(), uri.getPort());
        socket.getOutputStream()
            .write(("GET " + uri.getPath() + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String status(Socket socket) throws IOException {
        try (socket) {
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
        }
    }

    /** Reads until an event with this name has come, and returns its data. */
    private static Map<String, ?> await(BufferedReader events, String name) throws IOException {
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.equals("event: " + name)) {
                return JsonText.read(events.readLine().substring("data: ".length()));
            }
        }
        throw new AssertionError("There was no event " + name);
    }

    private static BufferedReader events(HttpClient client, String url) throws Exception {
        return new BufferedReader(new InputStreamReader(client
            .send(HttpRequest.newBuilder(URI.create(url + "events")).build(), HttpResponse.BodyHandlers.ofInputStream()).body(),
            StandardCharsets.UTF_8));
    }

    @Test
    void whoDoesNotKnowTheUrlIsRefused() throws Exception {
        try (RunDirectory files = files(); LivePage page = open(files)) {
            assertThat(page.url()).matches("http://127\\.0\\.0\\.1:\\d+/[0-9a-f]{32}/");
            assertThat(ask("GET", page.url()).statusCode()).isEqualTo(200);
            String other = page.url().replaceFirst("[0-9a-f]{32}", "0".repeat(32));
            for (String path : List.of("", "events")) {
                assertThat(ask("GET", other + path).statusCode()).isEqualTo(403);
            }
            assertThat(ask("POST", other + "end").statusCode()).isEqualTo(403);
            assertThat(ask("GET", page.url().replaceFirst("[0-9a-f]{32}/", "")).statusCode()).isEqualTo(403);
            assertThat(ask("GET", page.url() + "other").statusCode()).isEqualTo(404);
            assertThat(ask("GET", page.url() + "end").statusCode()).as("a link ends nothing").isEqualTo(404);
            assertThat(stops).hasValue(0);
        }
    }

    @Test
    void aNameThatWasMadeToLeadHereIsRefused() throws Exception {
        try (RunDirectory files = files(); LivePage page = open(files)) {
            for (String host : List.of("evil.example", "evil.example:80", "127.0.0.1.evil.example", "")) {
                assertThat(status(get(page.url(), "", host))).as(host).contains(" 403 ");
            }
            for (String host : List.of("localhost:1", "127.0.0.1", "[::1]:80")) {
                assertThat(status(get(page.url(), "", host))).as(host).contains(" 200 ");
            }
        }
    }

    @Test
    void theRunIsEndedFromThePage() throws Exception {
        try (RunDirectory files = files(); LivePage page = open(files)) {
            assertThat(ask("POST", page.url() + "end").statusCode()).as("before it has begun").isEqualTo(409);
            assertThat(ask("POST", page.url() + "end").statusCode()).isEqualTo(200);
            assertThat(stops).hasValue(2);
            assertThat(ask("POST", page.url() + "faster").body()).isEqualTo("The rate changes by +10 % in a second.");
            assertThat(ask("POST", page.url() + "slower").statusCode()).isEqualTo(409);
            assertThat(controls.rates()).containsExactly(10, -10);
            assertThat(ask("POST", page.url() + "fault/3").body()).isEqualTo("The fault is made now instead of at its time.");
            assertThat(ask("POST", page.url() + "fault/2").statusCode()).as("another one than the button named").isEqualTo(409);
            assertThat(ask("POST", page.url() + "fault/").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void windowsAreToldEveryIntervalAndOneThatDoesNotReadHoldsUpNothing() throws Exception {
        RunDirectory files = files();
        LivePage page = open(files);
        try (files; HttpClient client = HttpClient.newHttpClient(); Socket slow = get(page.url(), "events", "localhost");
                BufferedReader events = events(client, page.url()); BufferedReader another = events(client, page.url())) {
            for (BufferedReader window : List.of(events, another)) {
                Map<String, ?> now = await(window, "now");
                assertThat(now.get("text")).isEqualTo("The load has not begun yet.");
                assertThat(now.get("rate")).as("the rate of this run cannot be changed").isEqualTo(false);
                assertThat(now.get("fault")).hasToString("3");
                assertThat(now.get("does")).isEqualTo("kill broker for 10s");
            }
            // More than the buffers of sockets take, so that the window that does not read blocks the thread that writes to it.
            String phase = "x".repeat(20_000);
            for (int i = 0; i < 1000; i++) {
                second(i, phase, files, page);
            }
            for (BufferedReader window : List.of(events, another)) {
                assertThat(await(window, "now").get("text")).asString()
                    .startsWith(phase + ": 1,000/s, response p99 3.00 ms, nothing failed or duplicated");
                assertThat(await(window, "page").get("main")).asString().contains("Still running").contains("1,000/s");
            }
            files.close();
            page.close();
            for (BufferedReader window : List.of(events, another)) {
                assertThat(await(window, "over").get("text")).asString().contains("nothing was measured");
            }
            assertThat(slow.isConnected()).isTrue();
        }
        assertThatThrownBy(() -> get(page.url(), "", "localhost")).as("the server has ended").isInstanceOf(IOException.class);
        while (Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().equals("brokermeter-live-page"))) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aPlaceThatIsNoneOrTakenIsRefused() throws Exception {
        try (RunDirectory files = files(); LivePage page = open(files)) {
            String taken = String.valueOf(URI.create(page.url()).getPort());
            assertThatThrownBy(() -> LivePage.open(taken, files.directory(), SHAPE, controls)).isInstanceOf(UsageException.class)
                .hasMessageContaining("cannot be served at " + taken);
            assertThatThrownBy(() -> LivePage.open("nonsense", files.directory(), SHAPE, controls)).isInstanceOf(UsageException.class)
                .hasMessageContaining("--serve");
        }
    }
}
