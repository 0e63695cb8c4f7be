package io.brokermeter.live;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * Pushes the metrics of a run to a receiver of OpenTelemetry by OTLP/HTTP, after each interval and at the end. A thread of its own does
 * it, at most once a second and one push after the other, so that a receiver that is slow gets the newest state less often, and the run
 * never waits for one. What fails is said once; the next push has all that it had, since sums are those of the whole run.
 */
public final class OtlpPush implements RunObserver {

    private static final String PATH = "/v1/metrics";
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long the end of a run waits for a push that is under way, and for the last one. */
    private static final Duration END = Duration.ofSeconds(2);

    private final URI to;
    private final Map<String, String> headers;
    private final RunMetrics metrics;
    private final OtlpRequest request;
    private final Consumer<String> warn;
    private final boolean atOnce;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();
    private final Thread thread;
    private boolean changed;
    private boolean closing;
    private @Nullable String failure;
    private boolean said;

    private OtlpPush(URI to, Map<String, String> headers, RunMetrics metrics, OtlpRequest request, Consumer<String> warn, boolean atOnce) {
        this.to = to;
        this.headers = headers;
        this.metrics = metrics;
        this.request = request;
        this.warn = warn;
        this.atOnce = atOnce;
        this.thread = Thread.ofPlatform().name("brokermeter-otlp").daemon().unstarted(this::push);
    }

    /**
     * Begins to push.
     *
     * @param url the receiver; one without a path has metrics at the path of OpenTelemetry, {@code /v1/metrics}
     * @param environment the variable {@code OTEL_EXPORTER_OTLP_HEADERS} has headers of the requests
     * @param run what identifies the run, by the names of attributes
     * @param messaging attributes of the conventions for messaging that all operations of the run have
     * @param warn takes a sentence for the user; called by the thread of the run
     * @param atOnce whether it takes the sentence while the run lasts, and not at its end only
     * @throws UsageException when the URL is none of HTTP, or the headers are none
     */
    public static OtlpPush open(String url, Map<String, String> environment, RunMetrics metrics, Map<String, String> run,
            Map<String, String> messaging, Consumer<String> warn, boolean atOnce) {
        Map<String, String> resource = new LinkedHashMap<>(run);
        resource.put("service.name", "brokermeter");
        Instant now = Instant.now();
        OtlpPush push = new OtlpPush(receiver(url), headers(environment.getOrDefault("OTEL_EXPORTER_OTLP_HEADERS", "")), metrics,
            new OtlpRequest(resource, messaging, nanos(now)), warn, atOnce);
        push.thread.start();
        return push;
    }

    static URI receiver(String url) {
        try {
            URI uri = URI.create(url);
            if (uri.getRawUserInfo() != null) {
                throw new UsageException("--otlp takes no user and password in its URL; OTEL_EXPORTER_OTLP_HEADERS has headers like "
                    + "Authorization.");
            }
            if (uri.getHost() != null && ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
                String path = uri.getPath();
                return path == null || path.isEmpty() || path.equals("/") ? uri.resolve(PATH) : uri;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw new UsageException("'" + url + "' is no URL for --otlp, like http://localhost:4318.");
    }

    /** Reads headers in the form of OpenTelemetry: names and values that are encoded as in a URL, {@code api-key=a%20b,tenant=c}. */
    static Map<String, String> headers(String text) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String pair : text.split(",")) {
            int end = pair.indexOf('=');
            try {
                if (end > 0) {
                    String name = URLDecoder.decode(pair.substring(0, end).strip(), StandardCharsets.UTF_8);
                    String value = URLDecoder.decode(pair.substring(end + 1).strip().replace("+", "%2B"), StandardCharsets.UTF_8);
                    HttpRequest.newBuilder().header(name, value);
                    all.put(name, value);
                    continue;
                }
            } catch (IllegalArgumentException e) {
                // said below; the value may be a secret, and the exception contains it
            }
            if (!pair.isBlank()) {
                throw new UsageException(
                    "OTEL_EXPORTER_OTLP_HEADERS has something that is no header: they are like api-key=1234,tenant=a.");
            }
        }
        return all;
    }

    private static long nanos(Instant moment) {
        return TimeUnit.SECONDS.toNanos(moment.getEpochSecond()) + moment.getNano();
    }

    /** Lets the thread push what {@link RunMetrics} has, which must have got the interval before. */
    @Override
    public void interval(Interval interval) {
        synchronized (this) {
            changed = true;
            notifyAll();
        }
        if (atOnce) {
            say();
        }
    }

    private void push() {
        try {
            long notBefore = System.nanoTime();
            while (awaitsChange(notBefore)) {
                notBefore = System.nanoTime() + BETWEEN_NANOS;
                push(ANSWER);
            }
            push(END);
        } catch (InterruptedException e) {
            failed("it did not answer until the run was over");
        }
    }

    private synchronized boolean awaitsChange(long notBefore) throws InterruptedException {
        while (!closing) {
            long early = notBefore - System.nanoTime();
            if (!changed) {
                wait();
            } else if (early > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, early);
            } else {
                changed = false;
                return true;
            }
        }
        return false;
    }

    private void push(Duration patience) throws InterruptedException {
        HttpRequest.Builder post = HttpRequest.newBuilder(to).timeout(patience).header("Content-Type", "application/x-protobuf")
            .POST(HttpRequest.BodyPublishers.ofByteArray(request.of(metrics.snapshots(), nanos(Instant.now()))));
        headers.forEach(post::setHeader);
        try {
            int status = client.send(post.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status != 200) {
                failed("it answers with status " + status);
            }
        } catch (IOException e) {
            String message = e.getMessage();
            failed(message == null ? e.getClass().getSimpleName() : message);
        }
    }

    private synchronized void failed(String reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    private synchronized void say() {
        if (failure != null && !said) {
            said = true;
            warn.accept("Metrics do not get to " + to + " by OTLP, or did not once: " + failure + ". The run goes on without.");
        }
    }

    /** Pushes the last state; waits for that, and for a push that is under way, four seconds at most. */
    @Override
    public void close() throws InterruptedException {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        thread.join(END.multipliedBy(2));
        thread.interrupt();
        thread.join(END);
        client.shutdownNow();
        say();
    }
}
