package io.brokermeter.contract.browser;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Headless Chromium of this machine with one page, controlled over its DevTools protocol. Every call waits at most two minutes for its
 * response.
 */
public final class Chromium implements AutoCloseable {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");
    private static final long LIMIT_SECONDS = 120;
    private static final Map<String, Long> CODES = Map.of("Tab", 9L, "Enter", 13L, "Escape", 27L, " ", 32L);
    private static final JsonMapper JSON = JsonMapper.builder().enable(DeserializationFeature.USE_LONG_FOR_INTS).build();

    private final Process process;
    private final Path profile;
    private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final WebSocket socket;
    private @Nullable String session;

    private Chromium(Process process, Path profile, URI address) {
        this.process = process;
        this.profile = profile;
        this.socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(address, new Answers()).join();
    }

    /** Starts Chromium. Fails if it is not installed, since no page would be tested otherwise. */
    public static Chromium start() throws IOException, InterruptedException {
        Path profile = Files.createTempDirectory("brokermeter-chromium");
        List<String> command =
            List.of(program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-device-scale-factor=1",
                "--remote-debugging-port=0", "--user-data-dir=" + profile, "about:blank");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(profile.resolve("output").toFile());
        // a killed browser leaves directories behind
        builder.environment().put("TMPDIR", profile.toString());
        Process process = builder.start();
        // Ends the browser if the JVM of the tests is terminated.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }));
        Path port = profile.resolve("DevToolsActivePort");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!Files.exists(port) || Files.readAllLines(port).size() < 2) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                String said = Files.readString(profile.resolve("output"));
                end(process, profile);
                throw new AssertionError("Chromium did not start: " + said);
            }
            Thread.sleep(20);
        }
        List<String> lines = Files.readAllLines(port);
        Chromium browser = new Chromium(process, profile, URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1)));
        String target = browser.call("Target.createTarget", Map.of("url", "about:blank")).path("targetId").asString();
        browser.session = browser.call("Target.attachToTarget", Map.of("targetId", target, "flatten", true)).path("sessionId").asString();
        for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
            browser.call(domain + ".enable", Map.of());
        }
        browser.call("Performance.enable", Map.of("timeDomain", "threadTicks"));
        browser.size(1280, 900);
        return browser;
    }

    private static String program() {
        for (String name : NAMES) {
            for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
                if (Files.isExecutable(Path.of(directory, name))) {
                    return Path.of(directory, name).toString();
                }
            }
        }
        throw new AssertionError("There is no Chromium on the PATH: install the package chromium, or pages are not tested.");
    }

    private final class Answers implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonNode message = JSON.readTree(text.toString());
                text.setLength(0);
                take(message);
            }
            from.request(1);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            waiting.values().forEach(answer -> answer.completeExceptionally(error));
        }
    }

    private void take(JsonNode message) {
        if (message.path("id").isNumber()) {
            CompletableFuture<JsonNode> answer = waiting.remove(message.path("id").intValue());
            if (answer != null) {
                answer.complete(message);
            }
            return;
        }
        JsonNode params = message.path("params");
        switch (message.path("method").asString("")) {
            case "Network.requestWillBeSent" -> {
                String url = params.path("request").path("url").asString("");
                if (!url.startsWith("data:") && !url.startsWith("blob:")) {
                    requests.add(url);
                }
            }
            case "Runtime.exceptionThrown" -> errors.add(params.path("exceptionDetails").toString());
            case "Log.entryAdded" -> {
                JsonNode entry = params.path("entry");
                if (entry.path("level").asString("").equals("error")) {
                    errors.add(entry.path("text").asString(""));
                }
            }
            default -> {
                // other messages are ignored
            }
        }
    }

    private JsonNode call(String method, Map<String, ?> params) {
        int id = calls.incrementAndGet();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("id", (long) id);
        message.put("method", method);
        message.put("params", params);
        if (session != null) {
            message.put("sessionId", session);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        socket.sendText(JSON.writeValueAsString(message), true).join();
        JsonNode got;
        try {
            got = answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("Chromium did not answer " + method, e);
        } catch (Exception e) {
            throw new AssertionError("Chromium is gone", e);
        }
        if (got.has("error")) {
            throw new AssertionError(method + ": " + got.path("error"));
        }
        return got.path("result");
    }

    /** Opens an empty page. */
    public void blank() {
        call("Page.navigate", Map.of("url", "about:blank"));
        until("location.href === 'about:blank' && document.readyState === 'complete'");
    }

    /** Opens a file, as {@link #open(URI)} does. */
    public Duration open(Path file) {
        return open(file.toUri());
    }

    /** Opens any page, and waits until it is loaded. */
    public void visit(URI page) {
        requests.clear();
        errors.clear();
        call("Page.navigate", Map.of("url", page.toString()));
        until("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    /** Opens a report of brokermeter, waits until its charts are drawn, and returns the time that this took as the page measures it. */
    public Duration open(URI page) {
        visit(page);
        until("'state' in document.documentElement.dataset");
        String state = String.valueOf(eval("document.documentElement.dataset.state"));
        if (!state.equals("ready")) {
            throw new AssertionError("The page could not be drawn: " + eval("document.querySelector('main').textContent.slice(0, 200)"));
        }
        frames();
        return Duration.ofMillis(Math.round(number("performance.now()")));
    }

    /**
     * Returns the times at which the open page reached its stages, in milliseconds after the start of its navigation by the clock of the
     * browser: {@code parsed}, {@code loaded} and {@code painted} (the first contents on the screen). {@code cpu} is the CPU time of its
     * main thread, in milliseconds.
     */
    public Map<String, Double> timing() {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("parsed", number("performance.getEntriesByType('navigation')[0].domInteractive"));
        all.put("painted", number("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"));
        all.put("loaded", number("performance.getEntriesByType('navigation')[0].loadEventEnd"));
        for (JsonNode metric : call("Performance.getMetrics", Map.of()).path("metrics")) {
            if (metric.path("name").asString("").equals("TaskDuration")) {
                all.put("cpu", metric.path("value").doubleValue() * 1e3);
            }
        }
        return all;
    }

    /** Waits until the page has drawn pending changes. */
    public void frames() {
        eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(0)))))");
    }

    public void until(String condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!Boolean.TRUE.equals(eval(condition))) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("It never became true: " + condition);
            }
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Returns the value of an expression in the page: text, number, boolean or null. Waits for the value of a promise. */
    public @Nullable Object eval(String expression) {
        JsonNode got = call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        if (got.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + got.path("exceptionDetails"));
        }
        JsonNode value = got.path("result").path("value");
        return value.isMissingNode() ? null : JSON.treeToValue(value, Object.class);
    }

    /** Returns the visible text of the first element that matches a selector; empty if there is none. */
    public String text(String selector) {
        return String.valueOf(eval("(document.querySelector(" + quoted(selector) + ") || {innerText: ''}).innerText"));
    }

    public double number(String expression) {
        return eval(expression) instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    // ---- user input ----

    public void click(String selector) {
        at(selector, 0.5, (x, y) -> {
            mouse("mousePressed", x, y, 1);
            mouse("mouseReleased", x, y, 1);
        });
        frames();
    }

    /** Moves the pointer to a position in an element, as a share of its width from the left. */
    public void point(String selector, double share) {
        at(selector, share, (x, y) -> mouse("mouseMoved", x, y, 0));
        frames();
    }

    /** Drags the pointer between two positions in an element, each as a share of its width from the left. */
    public void drag(String selector, double from, double to) {
        drag(selector, from, to, "true");
    }

    /** Drags the pointer as {@link #drag(String, double, double)}, and waits for a condition before it lets the button go. */
    public void drag(String selector, double from, double to, String held) {
        at(selector, from, (x, y) -> {
            mouse("mouseMoved", x, y, 0);
            mouse("mousePressed", x, y, 1);
        });
        at(selector, (from + to) / 2, (x, y) -> mouse("mouseMoved", x, y, 1));
        at(selector, to, (x, y) -> mouse("mouseMoved", x, y, 1));
        until(held);
        at(selector, to, (x, y) -> mouse("mouseReleased", x, y, 1));
        frames();
    }

    private interface Place {
        void at(double x, double y);
    }

    private void at(String selector, double share, Place place) {
        Object box = eval("(() => { const e = document.querySelector(" + quoted(selector) + "); e.scrollIntoView({block: 'center'}); "
            + "const r = e.getBoundingClientRect(); return r.left + ' ' + r.top + ' ' + r.width + ' ' + r.height; })()");
        double[] numbers = Stream.of(String.valueOf(box).split(" ")).mapToDouble(Double::parseDouble).toArray();
        place.at(numbers[0] + share * numbers[2], numbers[1] + numbers[3] / 2);
    }

    private void mouse(String type, double x, double y, int pressed) {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("type", type);
        params.put("x", x);
        params.put("y", y);
        params.put("button", pressed == 0 ? "none" : "left");
        params.put("buttons", type.equals("mouseReleased") ? 0 : pressed);
        params.put("clickCount", type.equals("mouseMoved") ? 0 : 1);
        call("Input.dispatchMouseEvent", params);
    }

    public void focus(String selector) {
        eval("document.querySelector(" + quoted(selector) + ").focus()");
    }

    /** Presses a key by its name: {@code ArrowRight}, {@code +}. */
    public void key(String name) {
        for (String type : List.of("keyDown", "keyUp")) {
            Map<String, Object> params = new LinkedHashMap<>();
            params.put("type", type);
            params.put("key", name);
            if (CODES.containsKey(name)) {
                // what the browser itself does with a key goes by its code
                params.put("windowsVirtualKeyCode", CODES.get(name));
            }
            if (type.equals("keyDown") && (name.length() == 1 || name.equals("Enter"))) {
                params.put("text", name.equals("Enter") ? "\r" : name);
            }
            call("Input.dispatchKeyEvent", params);
        }
        frames();
    }

    /** Emulates a media feature, for example {@code prefers-color-scheme} with the value {@code dark}. */
    public void media(String feature, String value) {
        call("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", feature, "value", value))));
        frames();
    }

    public void size(int width, int height) {
        call("Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    }

    /** Returns the page printed as PDF. */
    public byte[] pdf() {
        return Base64.getDecoder()
            .decode(call("Page.printToPDF", Map.of("printBackground", false, "preferCSSPageSize", true)).path("data").asString());
    }

    /** Returns a screenshot of the whole page as PNG. */
    public byte[] picture() {
        return Base64.getDecoder()
            .decode(call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true)).path("data").asString());
    }

    /** Returns the URLs requested since the page was opened. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    /** Returns the errors that the browser has reported since the page was opened. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    @Override
    public void close() throws IOException {
        socket.abort();
        end(process, profile);
    }

    private static void end(Process process, Path profile) throws IOException {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join());
        // Pending writes of a process that has just ended may still create files, so the deletion is repeated.
        for (int attempt = 0; Files.exists(profile) && attempt < 50; attempt++) {
            try (Stream<Path> files = Files.walk(profile)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> {
                    try {
                        Files.deleteIfExists(file);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
            } catch (UncheckedIOException | IOException e) {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
