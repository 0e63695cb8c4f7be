package io.brokermeter.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pushes to a receiver of this test, which decodes them by the classes that OpenTelemetry publishes. */
class OtlpPushTest {

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final RunMetrics metrics = new RunMetrics(Map.of("name", "client"));

    /** A receiver that keeps what it gets, with the headers. */
    private static final class Receiver implements AutoCloseable {

        final LinkedBlockingQueue<ExportMetricsServiceRequest> requests = new LinkedBlockingQueue<>();
        final LinkedBlockingQueue<String> keys = new LinkedBlockingQueue<>();
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final HttpServer server;

        /** @param open counted down before it answers */
        Receiver(int status, CountDownLatch open) throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/v1/metrics", exchange -> {
                try (exchange) {
                    byte[] body = exchange.getRequestBody().readAllBytes();
                    assertThat(exchange.getRequestHeaders().getFirst("Content-Type")).isEqualTo("application/x-protobuf");
                    keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("api-key")));
                    requests.add(ExportMetricsServiceRequest.parseFrom(body));
                    open.await();
                    exchange.sendResponseHeaders(status, -1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        ExportMetricsServiceRequest next() throws InterruptedException {
            ExportMetricsServiceRequest one = requests.poll(60, TimeUnit.SECONDS);
            assertThat(one).isNotNull();
            return one;
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }
    }

    private OtlpPush push(String url) {
        return OtlpPush.open(url, Map.of("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b"), metrics, Map.of("brokermeter.run.name", "client"),
            Map.of("messaging.system", "activemq", "messaging.destination.name", "Q"), warnings::add, true);
    }

    private Interval interval(long sent, long... nanos) {
        Histogram samples = Distribution.empty();
        for (long one : nanos) {
            samples.recordValue(one);
        }
        Interval interval = Interval.of(its -> {
            its.counts = Counts.NONE.with(Count.SENT, sent);
            its.broker = new BrokerSample(1, new BrokerSample.Usage(50, -1, Double.NaN, -1, -1, -1, -1, -1, -1), BrokerSample.Heap.UNKNOWN,
                3, Map.of(),
                List.of());
            its.measured = Map.of(Metric.RESPONSE, new Distribution(samples, 0, 0), Metric.SEND, new Distribution(samples, 0, 0));
        });
        metrics.interval(interval);
        return interval;
    }

    private static Map<String, io.opentelemetry.proto.metrics.v1.Metric> metrics(ExportMetricsServiceRequest request) {
        return request.getResourceMetrics(0).getScopeMetrics(0).getMetricsList().stream()
            .collect(Collectors.toMap(io.opentelemetry.proto.metrics.v1.Metric::getName, one -> one));
    }

    private static Map<String, String> attributes(List<KeyValue> all) {
        return all.stream().collect(Collectors.toMap(KeyValue::getKey, one -> one.getValue().getStringValue()));
    }

    @Test
    void aReceiverGetsTheSumsOfTheWholeRunUpToItsEnd() throws Exception {
        try (Receiver receiver = new Receiver(200, new CountDownLatch(0))) {
            OtlpPush push = push(receiver.url());
            push.interval(interval(10, 1_000_000, 2_000_000, 2_000_000, 0));
            ResourceMetrics first = receiver.next().getResourceMetrics(0);
            assertThat(attributes(first.getResource().getAttributesList())).containsEntry("service.name", "brokermeter")
                .containsEntry("brokermeter.run.name", "client");
            push.interval(interval(5, 1_000_000));
            push.close();
            assertThat(receiver.keys.take()).isEqualTo("a b");
            ExportMetricsServiceRequest last = receiver.next();
            for (ExportMetricsServiceRequest more = receiver.requests.poll(); more != null; more = receiver.requests.poll()) {
                last = more;
            }
            Map<String, io.opentelemetry.proto.metrics.v1.Metric> all = metrics(last);
            assertThat(all.get("brokermeter.messages.sent").getSum()).satisfies(sum -> {
                assertThat(sum.getIsMonotonic()).isTrue();
                assertThat(sum.getAggregationTemporality()).isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
                assertThat(sum.getDataPoints(0).getAsDouble()).isEqualTo(15);
                assertThat(sum.getDataPoints(0).getStartTimeUnixNano()).isLessThan(sum.getDataPoints(0).getTimeUnixNano());
                assertThat(sum.getDataPoints(0).getTimeUnixNano() / 1e6).isBetween(System.currentTimeMillis() - 600e3,
                    System.currentTimeMillis() + 1e3);
            });
            assertThat(all.get("brokermeter.broker.cpu")).satisfies(cpu -> {
                assertThat(cpu.getUnit()).isEqualTo("1");
                assertThat(cpu.getGauge().getDataPoints(0).getAsDouble()).isEqualTo(0.5);
            });
            io.opentelemetry.proto.metrics.v1.Metric response = all.get("brokermeter.response");
            assertThat(response.getUnit()).isEqualTo("s");
            ExponentialHistogramDataPoint times = response.getExponentialHistogram().getDataPoints(0);
            assertThat(attributes(times.getAttributesList())).containsExactly(Map.entry("part", "measured"));
            assertThat(times.getCount()).isEqualTo(5);
            assertThat(times.getZeroCount()).isEqualTo(1);
            assertThat(times.getSum()).isBetween(5.99e-3, 6.01e-3);
            assertThat(times.getPositive().getBucketCountsList().stream().mapToLong(Long::longValue).sum()).isEqualTo(4);
            assertThat(inBucketOf(times, 1e-3)).isEqualTo(2);
            assertThat(inBucketOf(times, 2e-3)).isEqualTo(2);
            assertThat(inBucketOf(times, 1.5e-3)).isZero();
            assertThat(warnings).isEmpty();
        }
    }

    /** Returns the count of the bucket with a value; bucket i is from base^i, exclusive, to base^(i+1), inclusive. */
    private static long inBucketOf(ExponentialHistogramDataPoint point, double value) {
        double base = Math.pow(2, Math.pow(2, -point.getScale()));
        for (int i = 0; i < point.getPositive().getBucketCountsCount(); i++) {
            int index = point.getPositive().getOffset() + i;
            if (Math.pow(base, index) < value && value <= Math.pow(base, index + 1)) {
                return point.getPositive().getBucketCounts(i);
            }
        }
        return 0;
    }

    @Test
    void whatTheConventionsForMessagingDefineIsThereUnderTheirNames() throws Exception {
        try (Receiver receiver = new Receiver(200, new CountDownLatch(0))) {
            OtlpPush push = push(receiver.url());
            push.interval(interval(10, 1_000_000));
            Map<String, io.opentelemetry.proto.metrics.v1.Metric> all = metrics(receiver.next());
            push.close();
            io.opentelemetry.proto.metrics.v1.Metric duration = all.get("messaging.client.operation.duration");
            assertThat(duration.getUnit()).isEqualTo("s");
            assertThat(attributes(duration.getExponentialHistogram().getDataPoints(0).getAttributesList())).isEqualTo(Map.of(
                "messaging.system", "activemq", "messaging.destination.name", "Q", "messaging.operation.name", "send",
                "messaging.operation.type", "send", "brokermeter.part", "measured"));
            io.opentelemetry.proto.metrics.v1.Metric sent = all.get("messaging.client.sent.messages");
            assertThat(sent.getUnit()).isEqualTo("{message}");
            assertThat(sent.getSum().getDataPoints(0).getAsDouble()).isEqualTo(10);
            assertThat(all.get("messaging.client.consumed.messages").getSum().getDataPoints(0).getAsDouble()).isZero();
        }
    }

    /** Every figure of a scrape is in a push. */
    @Test
    void aPushHasWhatAScrapeHas() throws Exception {
        Histogram samples = Distribution.empty();
        samples.recordValue(1_000_000);
        metrics.interval(Interval.of(its -> {
            its.counts = Counts.NONE;
            its.measured = Stream.of(Metric.values()).collect(Collectors.toMap(metric -> metric, _ -> new Distribution(samples, 0, 0)));
        }));
        byte[] request = new OtlpRequest(Map.of(), Map.of(), 1).of(metrics.snapshots(), 2);
        List<String> pushed = ExportMetricsServiceRequest.parseFrom(request).getResourceMetrics(0).getScopeMetrics(0).getMetricsList()
            .stream().filter(one -> one.getName().startsWith("brokermeter."))
            .map(one -> one.getName().replace('.', '_') + (one.getUnit().equals("s") ? "_seconds" : "")).sorted().toList();
        List<String> scraped = metrics.snapshots().stream().map(one -> one.getMetadata().getName())
            .filter(name -> !name.equals("brokermeter_run")).sorted().toList();
        assertThat(pushed).isEqualTo(scraped);
    }

    @Test
    void aReceiverThatIsDownIsNamedOnce() throws Exception {
        String nowhere;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nowhere = "http://127.0.0.1:" + free.getLocalPort();
        }
        OtlpPush push = push(nowhere);
        push.interval(interval(1, 1));
        push.interval(interval(1, 1));
        push.close();
        assertThat(warnings).hasSize(1).first().asString().startsWith("Metrics do not get to " + nowhere + "/v1/metrics by OTLP");
    }

    @Test
    void aReceiverThatRefusesIsNamedWithItsStatus() throws Exception {
        try (Receiver receiver = new Receiver(401, new CountDownLatch(0))) {
            OtlpPush push = push(receiver.url());
            push.interval(interval(1, 1));
            receiver.next();
            push.close();
            assertThat(warnings).hasSize(1).first().asString().contains("it answers with status 401");
        }
    }

    /** The run hands over and goes on; the receiver answers only when the test has seen that it does. */
    @Test
    void aReceiverThatDoesNotAnswerHoldsUpNothing() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        try (Receiver receiver = new Receiver(200, open)) {
            OtlpPush push = push(receiver.url());
            push.interval(interval(1, 1));
            receiver.next();
            for (int i = 0; i < 1000; i++) {
                push.interval(interval(1, 1));
            }
            assertThat(receiver.requests).as("one push at a time").isEmpty();
            open.countDown();
            push.close();
            ExportMetricsServiceRequest last = receiver.next();
            for (ExportMetricsServiceRequest more = receiver.requests.poll(); more != null; more = receiver.requests.poll()) {
                last = more;
            }
            assertThat(metrics(last).get("brokermeter.messages.sent").getSum().getDataPoints(0).getAsDouble()).isEqualTo(1001);
            assertThat(warnings).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost:4318", "grpc://localhost:4317", "http://", "http://user:secret@host", "http://a b"})
    void whatIsNoReceiverIsRefused(String url) {
        assertThatThrownBy(() -> OtlpPush.receiver(url)).isInstanceOf(UsageException.class).hasMessageContaining("--otlp");
    }

    @Test
    void metricsAreAtThePathOfOpenTelemetryUnlessOneIsNamed() {
        assertThat(OtlpPush.receiver("http://localhost:4318")).hasToString("http://localhost:4318/v1/metrics");
        assertThat(OtlpPush.receiver("https://collector/")).hasToString("https://collector/v1/metrics");
        assertThat(OtlpPush.receiver("http://prometheus:9090/api/v1/otlp/v1/metrics"))
            .hasToString("http://prometheus:9090/api/v1/otlp/v1/metrics");
    }

    @Test
    void headersAreReadAsOpenTelemetryWritesThemAndNeverShown() {
        assertThat(OtlpPush.headers("a=1,b=x%20y+z")).containsExactly(Map.entry("a", "1"), Map.entry("b", "x y+z"));
        assertThat(OtlpPush.headers("")).isEmpty();
        for (String wrong : List.of("secret", "a b=secret", "host=secret", "a=secret%0Ax")) {
            assertThatThrownBy(() -> OtlpPush.headers(wrong)).isInstanceOf(UsageException.class)
                .satisfies(thrown -> assertThat(thrown.getMessage()).doesNotContain(wrong));
        }
    }
}
