package io.brokermeter.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetricsEndpointTest {

    private static Interval interval(boolean warmup, long sent, long... nanos) {
        Histogram samples = Distribution.empty();
        for (long one : nanos) {
            samples.recordValue(one);
        }
        Map<Metric, Distribution> times = Map.of(Metric.RESPONSE, new Distribution(samples, 0, 0));
        return Interval.of(its -> {
            its.warmup = warmup;
            its.counts = Counts.NONE.with(Count.SENT, sent).with(Count.DUPLICATES, 1);
            its.elapsedNanos = 2_000_000_000L;
            if (warmup) {
                its.warmupSamples = times;
            } else {
                its.measured = times;
            }
        });
    }

    private static String scrape(int port, String accept) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .header("Accept", accept).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            return answer.body();
        }
    }

    @Test
    void aScrapeSeesTheSumOfAllIntervals() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        RunMetrics metrics = new RunMetrics(Map.of("name", "client"));
        try (MetricsEndpoint _ = MetricsEndpoint.open(String.valueOf(port), metrics)) {
            metrics.interval(interval(true, 5, 3_000_000));
            metrics.interval(interval(false, 10, 40_000, 2_000_000, 2_000_000_000L));
            metrics.interval(interval(false, 10, 30_000));
            assertThat(scrape(port, "text/plain"))
                .contains("brokermeter_messages_sent_total 25.0", "brokermeter_ledger_duplicate_messages_total 3.0",
                    "brokermeter_run_info{name=\"client\"} 1", "brokermeter_elapsed_seconds 2.0",
                    "brokermeter_response_seconds_bucket{part=\"warmup\",le=\"0.005\"} 1",
                    "brokermeter_response_seconds_bucket{part=\"measured\",le=\"2.5E-5\"} 0",
                    "brokermeter_response_seconds_bucket{part=\"measured\",le=\"5.0E-5\"} 2",
                    "brokermeter_response_seconds_bucket{part=\"measured\",le=\"+Inf\"} 4",
                    "brokermeter_response_seconds_count{part=\"measured\"} 4")
                .doesNotContain("brokermeter_broker", "NaN");
            assertThat(scrape(port, "application/openmetrics-text")).endsWith("# EOF\n");
            assertThat(scrape(port, "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"))
                .contains("brokermeter_response_seconds");
            assertThatThrownBy(() -> MetricsEndpoint.open(String.valueOf(port), metrics)).isInstanceOf(UsageException.class)
                .hasMessageContaining("Metrics cannot be served at " + port);
        }
    }

    @Test
    void theDashboardAsksForWhatAScrapeHas() throws Exception {
        RunMetrics metrics = new RunMetrics(Map.of("name", "client"));
        Histogram samples = Distribution.empty();
        samples.recordValue(1_000_000);
        metrics.interval(Interval.of(its -> {
            its.counts = Counts.NONE;
            its.broker = new BrokerSample(1, new BrokerSample.Usage(50, -1, Double.NaN, -1, -1, -1, -1, -1, -1), BrokerSample.Heap.UNKNOWN,
                3, Map.of(),
                List.of());
            its.measured = Stream.of(Metric.values()).collect(Collectors.toMap(metric -> metric, _ -> new Distribution(samples, 0, 0)));
        }));
        ByteArrayOutputStream scrape = new ByteArrayOutputStream();
        ExpositionFormats.init().getPrometheusTextFormatWriter().write(scrape, metrics.snapshots());
        Set<String> there = scrape.toString(StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#"))
            .map(line -> line.split("[{ ]")[0]).collect(Collectors.toSet());

        String dashboard = Files.readString(Path.of(System.getProperty("brokermeter.root", ".."), "dashboards", "brokermeter.json"));
        Set<String> asked =
            Pattern.compile("brokermeter_[a-z_]+").matcher(dashboard).results().map(MatchResult::group).collect(Collectors.toSet());
        assertThat(asked).hasSizeGreaterThan(15);
        assertThat(there).containsAll(asked);
    }

    /** The bounds of native histograms with schema 3, from their specification. */
    @Test
    void aNativeBucketEndsAtAPowerOfTheEighthRootOfTwo() {
        assertThat(RunMetrics.nativeBucket(1)).isZero();
        assertThat(RunMetrics.nativeBucket(1.09)).isEqualTo(1);
        assertThat(RunMetrics.nativeBucket(1.0905077)).isEqualTo(1);
        assertThat(RunMetrics.nativeBucket(1.0905078)).isEqualTo(2);
        assertThat(RunMetrics.nativeBucket(0.001)).isEqualTo(-79);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "port", "127.0.0.1:", "70000", "no such host:1"})
    void whatIsNoPlaceIsRefused(String place) {
        assertThatThrownBy(() -> ListenAddress.of(place, "--metrics", 1)).isInstanceOf(UsageException.class)
            .hasMessageContaining("--metrics");
    }
}
