package io.brokermeter.brokers.observe;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

import io.brokermeter.brokers.observe.PrometheusText.Series;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/** A Prometheus endpoint with metrics of a broker. Each request is bounded in time and in the size of its answer. */
final class MetricsSource extends FigureSource {

    private static final Duration LIMIT = Duration.ofSeconds(3);
    private static final long ANSWER_BYTES = 32L << 20;
    private static final long OLD = 5_000_000_000L;
    private static final int OK = 200;

    private final MetricsAddress address;
    private final Map<String, Series> asked;
    private final KnownMetrics known;
    private final Readings usage;
    private final Readings heap;
    private final Consumer<String> notice;
    private final Function<Setting, String> names;
    private volatile Map<String, Double> values = Map.of();
    private volatile long valuesAt;
    private volatile boolean answered;
    private @Nullable HttpClient client;
    private boolean failed;

    MetricsSource(MetricsAddress address, Map<String, Series> asked, LongUnaryOperator next, Readings usage, Readings heap,
            Consumer<String> notice, Function<Setting, String> names) {
        super("broker-metrics", next);
        this.address = address;
        this.asked = asked;
        this.known = new KnownMetrics(asked);
        this.usage = usage;
        this.heap = heap;
        this.notice = notice;
        this.names = names;
    }

    /** Returns the requested metrics as of the last answer; an empty map when that is more than five seconds ago. */
    Map<String, Double> values() {
        return System.nanoTime() - valuesAt > OLD ? Map.of() : values;
    }

    /** Returns whether the endpoint has ever answered. */
    boolean answered() {
        return answered;
    }

    @Override
    public boolean read() throws InterruptedException {
        return read(LIMIT);
    }

    /**
     * Reads the metrics once.
     *
     * @param limit the longest wait for a connection, and for the answer
     * @return whether the endpoint answered
     */
    boolean read(Duration limit) throws InterruptedException {
        HttpClient http = client;
        if (http == null) {
            http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(limit).build();
            client = http;
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(address.uri()).timeout(limit)
            .header("Accept", "text/plain;version=0.0.4, application/openmetrics-text;version=1.0.0;q=0.5, */*;q=0.1");
        if (address.authorization() != null) {
            request.header("Authorization", address.authorization().reveal());
        }
        long now = System.nanoTime();
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request.build(),
            BodyHandlers.limiting(BodyHandlers.ofString(StandardCharsets.UTF_8), ANSWER_BYTES));
        try {
            HttpResponse<String> response = answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (response.statusCode() != OK) {
                return fail("it answers with HTTP status " + response.statusCode());
            }
            take(now, response.body());
            return true;
        } catch (TimeoutException e) {
            answer.cancel(true);
            return fail(silent(limit));
        } catch (ExecutionException e) {
            return fail(reason(e.getCause(), limit));
        }
    }

    private void take(long now, String text) {
        KnownMetrics.Scrape scrape = known.read(now, text);
        usage.add(scrape.reading());
        if (scrape.reading().knows(ProcessFigure.HEAP_USED_BYTES)) {
            heap.add(scrape.reading());
        }
        values = scrape.asked();
        valuesAt = now;
        if (answered) {
            return;
        }
        answered = true;
        List<String> missing = new ArrayList<>(new LinkedHashMap<>(asked).keySet());
        missing.removeAll(scrape.asked().keySet());
        if (!missing.isEmpty()) {
            notice.accept("There is no metric " + String.join(" and no ", missing) + " at " + address + " so far");
        }
        if (!scrape.knows() && asked.isEmpty()) {
            notice.accept("The endpoint " + address + " has no metric of CPU, memory or heap with a known name; "
                + "name its metrics with " + names.apply(Setting.BROKER_METRIC));
        }
    }

    private boolean fail(String why) {
        if (!failed && !isClosed()) {
            failed = true;
            notice.accept("No metrics of the broker " + (answered ? "any more " : "") + "from " + address + ": " + why);
        }
        return false;
    }

    private static String silent(Duration limit) {
        return "it does not answer within " + limit.toSeconds() + " s";
    }

    private static String reason(@Nullable Throwable thrown, Duration limit) {
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            if (t instanceof java.nio.channels.UnresolvedAddressException) {
                return "its host is unknown";
            }
        }
        if (thrown instanceof java.net.http.HttpConnectTimeoutException) {
            return "it cannot be reached within " + limit.toSeconds() + " s";
        }
        // The limit of the client is as long as that of the wait, and either may come first.
        if (thrown instanceof java.net.http.HttpTimeoutException) {
            return silent(limit);
        }
        if (thrown instanceof java.net.ConnectException) {
            return "nothing listens there";
        }
        String message = thrown == null ? null : thrown.getMessage();
        return thrown instanceof IOException && message != null ? message : String.valueOf(thrown);
    }

    @Override
    public void release() {
        HttpClient http = client;
        if (http != null) {
            http.shutdownNow();
        }
    }
}
