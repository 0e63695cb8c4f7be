package io.brokermeter.live;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.send.RateChange;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.IntervalDocument;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.html.GrowingRunPage;
import io.brokermeter.reports.html.HtmlReport;
import io.brokermeter.reports.json.JsonReport;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page of a run while it goes on, over HTTP at a URL with a random token. Each open window gets a sentence after every
 * interval, the page's new contents as often as making them takes less than half a hundredth of the CPU time of the process, but every ten
 * seconds at least, and the report at the end. The run's reporting thread only hands over; pages are made by a thread of this object, and
 * each window is written to by one of its own, which leaves out what is outdated when the window reads slowly.
 */
public final class LivePage implements RunObserver {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int MOST_WINDOWS = 16;
    /** The part of the CPU time of this process that making pages may take; what the JVM compiles for them takes about as much. */
    private static final int SHARE = 200;
    /** The longest time between two pages: the first takes the JVM long to make, and a page that stands still looks dead. */
    private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The time in which open windows get the report, over a slow network or on a busy machine, too. */
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final Pattern FAULT = Pattern.compile("POST/fault/\\d{1,4}");
    private static final String HTML = "text/html; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final Path directory;
    private final RunShape shape;
    private final String host;
    private final RunControls controls;
    private final HttpServer server;
    private final byte[] token = random();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Thread maker;
    private final LiveSentence sentence;
    private final List<Window> windows = new CopyOnWriteArrayList<>();
    private final Queue<Added> added = new ConcurrentLinkedQueue<>();
    /** Also the lock of itself: whoever has it may make a page. */
    private final GrowingRunPage page;
    private volatile String now;
    private boolean changed;
    private boolean closing;
    private @Nullable String last;
    private volatile boolean finished;

    /** An interval, and the size of the file of samples at its end. */
    private record Added(IntervalDocument interval, long size) {}

    private LivePage(HttpServer server, String host, Path directory, RunShape shape, RunControls controls) {
        this.server = server;
        this.host = host;
        this.directory = directory;
        this.shape = shape;
        this.controls = controls;
        this.page = new GrowingRunPage(directory);
        this.sentence = new LiveSentence(shape);
        this.now = sentence.before();
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        maker = Thread.ofPlatform().daemon().name("brokermeter-live-page").unstarted(this::make);
    }

    /**
     * Begins to serve.
     *
     * @param place a port of this machine's loopback interface, or {@code ADDRESS:PORT}; port 0 for a free one
     * @param directory directory of the run, whose files must be written before this observer is called
     * @throws UsageException when nothing can be served there
     */
    public static LivePage open(String place, Path directory, RunShape shape, RunControls controls) {
        InetSocketAddress address = ListenAddress.of(place, "--serve", 0);
        try {
            LivePage made = new LivePage(HttpServer.create(address, 0), address.getHostString(), directory, shape, controls);
            made.server.start();
            made.maker.start();
            return made;
        } catch (IOException e) {
            throw new UsageException("The page of the run cannot be served at " + place + ": " + e.getMessage() + ".");
        }
    }

    private static byte[] random() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns where the page is. Who knows it may end the run. */
    public String url() {
        InetAddress bound = server.getAddress().getAddress();
        String name = bound.isAnyLocalAddress() ? "localhost" : bound.getHostAddress();
        return "http://" + (name.contains(":") ? "[" + name + "]" : name) + ":" + server.getAddress().getPort() + "/"
            + new String(token, StandardCharsets.US_ASCII) + "/";
    }

    // ---- what the run tells ----

    @Override
    public void interval(Interval interval) {
        now = sentence.after(interval);
        // Without times, which the page reads from the files: nobody may open a page for days.
        added.add(new Added(JsonReport.document(interval, shape).withoutTimes(), sizeOfSamples()));
        tell(state(now));
        synchronized (this) {
            changed = true;
            notifyAll();
        }
    }

    @Override
    public void event(Event event) {
        sentence.event(event);
    }

    private long sizeOfSamples() {
        try {
            return Files.size(directory.resolve(RunDirectory.HISTOGRAMS));
        } catch (IOException e) {
            return 0; // the page has no times then
        }
    }

    @Override
    public void finished(RunResult result) {
        finished = true;
    }

    /**
     * Gives each open window the report, for which the files of the run must be closed, and ends the server. Takes two seconds for the
     * former at most.
     */
    @Override
    public void close() {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        try {
            long deadline = System.nanoTime() + REPORT_NANOS;
            for (Window window : windows) {
                window.await(deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // Closes the connections, too, at which threads may wait for a window that does not read.
            server.stop(0);
            threads.shutdownNow();
        }
    }

    // ---- making pages ----

    private void make() {
        PageCompilation.limit();
        try {
            long notBefore = System.nanoTime();
            while (awaitsChange(notBefore)) {
                long begun = System.nanoTime();
                long cpu = THREADS.getCurrentThreadCpuTime();
                try {
                    String news = event("page", made(GrowingRunPage::news));
                    windows.forEach(window -> window.tell(null, news, null));
                } catch (UsageException e) {
                    tell(state(String.valueOf(e.getMessage())));
                }
                notBefore = begun + pause(THREADS.getCurrentThreadCpuTime() - cpu);
            }
            if (!windows.isEmpty()) {
                String made = last();
                synchronized (this) {
                    last = made;
                    windows.forEach(window -> window.tell(null, null, made));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the time from the begin of making a page to that of the next one, for a page that took some CPU time; in nanoseconds. */
    private static long pause(long cpu) {
        long ofProcess = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
        long lived = TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getUptime());
        return (long) Math.min(MOST_PAUSE_NANOS, (double) SHARE * cpu * lived / Math.max(1, ofProcess));
    }

    /** Waits until there is something new for an open window, but not before a moment; returns false when the run is over. */
    private synchronized boolean awaitsChange(long notBefore) throws InterruptedException {
        while (!closing) {
            long early = notBefore - System.nanoTime();
            if (early > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, early);
            } else if (changed && !windows.isEmpty()) {
                changed = false;
                return true;
            } else {
                wait();
            }
        }
        return false;
    }

    /** Makes something of the page as it is now. */
    private String made(Function<GrowingRunPage, String> form) {
        synchronized (page) {
            for (Added one = added.poll(); one != null; one = added.poll()) {
                page.add(one.interval(), one.size());
            }
            return form.apply(page);
        }
    }

    private String last() {
        if (!finished) {
            return said("over", "The command ended before the load began: nothing was measured.");
        }
        try {
            return event("report",
                JsonText.of(Map.of("name", directory.getFileName() + ".html", "text", HtmlReport.of(StoredRun.read(directory)))));
        } catch (UsageException e) {
            return said("over", String.valueOf(e.getMessage()));
        }
    }

    private void tell(String state) {
        windows.forEach(window -> window.tell(state, null, null));
    }

    /** Returns the event of a sentence about the run as it is now, and of what those who watch may do to it. */
    private String state(String sentence) {
        FaultPlayer.Next next = controls.nextFault();
        return event("now", JsonText.of(Map.of("text", sentence, "rate", controls.hasRate(), "fault", next == null ? 0 : next.number(),
            "does", next == null ? "" : next.fault().words())));
    }

    private static String said(String name, String sentence) {
        return event(name, JsonText.of(Map.of("text", sentence)));
    }

    /** Formats an event as server-sent events are: its data are one line. */
    private static String event(String name, String data) {
        return "event: " + name + "\ndata: " + data + "\n\n";
    }

    // ---- requests ----

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Headers headers = exchange.getResponseHeaders();
            headers.set("Cache-Control", "no-store");
            headers.set("Referrer-Policy", "no-referrer");
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("X-Frame-Options", "DENY");
            String path = exchange.getRequestURI().getPath();
            int slash = path.indexOf('/', 1);
            if (slash < 0 || !isHere(exchange.getRequestHeaders().getFirst("Host"))
                || !MessageDigest.isEqual(token, path.substring(1, slash).getBytes(StandardCharsets.UTF_8))) {
                send(exchange, 403, TEXT, "The page of the run is at the URL that the command printed, and nowhere else.\n");
                return;
            }
            switch (exchange.getRequestMethod() + path.substring(slash)) {
                case "GET/" -> send(exchange, 200, HTML, made(all -> all.page(now)));
                case "GET/events" -> events(exchange);
                case "POST/end" -> {
                    boolean stops = controls.end();
                    send(exchange, stops ? 200 : 409, TEXT, LiveSentence.ending(stops));
                }
                case "POST/faster" -> rate(exchange, LiveSentence.RATE_STEP);
                case "POST/slower" -> rate(exchange, -LiveSentence.RATE_STEP);
                case String fault when FAULT.matcher(fault).matches() -> {
                    FaultPlayer.Played came = controls.fault(Integer.parseInt(fault.substring(fault.lastIndexOf('/') + 1)));
                    send(exchange, came == FaultPlayer.Played.NOW ? 200 : 409, TEXT, LiveSentence.fault(came));
                }
                default -> send(exchange, 404, TEXT, "There is nothing here.\n");
            }
        } catch (UsageException e) {
            send(exchange, 500, TEXT, e.getMessage() + "\n");
        }
    }

    private void rate(HttpExchange exchange, int percent) throws IOException {
        RateChange came = controls.rate(percent);
        send(exchange, came == RateChange.DONE ? 200 : 409, TEXT, LiveSentence.rate(came, percent));
    }

    /** Returns whether a Host header names this machine, as that of a page of another site does not, whatever its name was made to lead to. */
    private boolean isHere(@Nullable String header) {
        String name = header == null ? "" : header.replaceFirst(":\\d*$", "");
        return name.startsWith("[") || name.matches("[0-9.]+") || name.equalsIgnoreCase("localhost") || name.equalsIgnoreCase(host);
    }

    private static void send(HttpExchange exchange, int status, String type, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    private void events(HttpExchange exchange) throws IOException {
        Window window = new Window();
        boolean full;
        synchronized (this) {
            full = windows.size() >= MOST_WINDOWS;
            if (!full) {
                windows.add(window);
                window.tell(state(now), null, last);
                changed = true;
                notifyAll();
            }
        }
        if (full) {
            send(exchange, 503, TEXT, "Already " + MOST_WINDOWS + " windows watch this run.\n");
            return;
        }
        try {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            // closed before the window has ended, after which the server cuts connections
            try (OutputStream out = exchange.getResponseBody()) {
                window.serve(out);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            windows.remove(window);
            window.end();
        }
    }

    /** An open window: what it is to be told next. A newer event replaces an older one of its kind that was not sent yet. */
    private static final class Window {

        private @Nullable String now;
        private @Nullable String page;
        private @Nullable String last;
        private boolean ended;

        /** Sets what is to be told; null leaves it as it is. */
        synchronized void tell(@Nullable String newNow, @Nullable String newPage, @Nullable String newLast) {
            now = newNow == null ? now : newNow;
            page = newPage == null ? page : newPage;
            last = newLast == null ? last : newLast;
            notifyAll();
        }

        /** Writes until the last event was written, or the other side is gone. */
        void serve(OutputStream out) throws IOException, InterruptedException {
            boolean over = false;
            while (!over) {
                String text;
                synchronized (this) {
                    while (now == null && page == null && last == null) {
                        wait();
                    }
                    over = last != null;
                    text = last != null ? last : Objects.requireNonNullElse(now, "") + Objects.requireNonNullElse(page, "");
                    now = null;
                    page = null;
                }
                out.write(text.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        }

        synchronized void end() {
            ended = true;
            notifyAll();
        }

        /** Waits until everything was written, or the deadline has passed. */
        synchronized void await(long deadline) throws InterruptedException {
            for (long left = deadline - System.nanoTime(); !ended && left > 0; left = deadline - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        }
    }
}
