package io.brokermeter.cli.mcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.trials.ToolVersion;
import org.jspecify.annotations.Nullable;

/**
 * Speaks the Model Context Protocol over two streams, a JSON-RPC 2.0 message in each line: revision 2026-07-28, whose requests say their
 * version each, and those before it, which begin with {@code initialize}. One call measures at a time, since two would disturb each other;
 * others wait. Source: https://modelcontextprotocol.io/specification.
 */
final class McpServer {

    private static final String STATELESS = "2026-07-28";
    /** Revisions with a handshake, the newest first. */
    private static final List<String> WITH_HANDSHAKE = List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");
    private static final String META = "io.modelcontextprotocol/";
    private static final String INSTRUCTIONS =
        "Figures of message brokers, exact and judged. Say figures with their intervals, and the verdict and its reasons "
            + "with them. Two calls of measure do not show a difference: compare does.";

    private static final int NO_JSON = -32700;
    private static final int NO_REQUEST = -32600;
    private static final int NO_METHOD = -32601;
    private static final int NO_ARGUMENTS = -32602;
    private static final int OTHER_VERSION = -32022;

    /** The time for a clean end of what runs when the input has ended, and for what follows it, in seconds. */
    private static final int CLEAN_SECONDS = 20;
    private static final int LAST_SECONDS = 10;
    private static final long CACHED_MILLIS = 3_600_000;

    private final Toolbox tools;
    private final PrintStream out;
    private final Map<Object, Toolbox.Call> calls = new ConcurrentHashMap<>();
    private final ExecutorService thread =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("brokermeter-calls").factory());

    McpServer(Toolbox tools, PrintStream out) {
        this.tools = tools;
        this.out = out;
    }

    /** A request that cannot be answered, with a code of JSON-RPC. */
    private static final class Refused extends Exception {

        private static final long serialVersionUID = 1L;

        private final int code;
        private final transient Map<String, ?> data;

        Refused(int code, String sentence, Map<String, ?> data) {
            super(sentence);
            this.code = code;
            this.data = data;
        }

        Refused(int code, String sentence) {
            this(code, sentence, Map.of());
        }
    }

    /** Answers requests until the input ends; then ends the calls that run, and returns when they are gone. */
    void serve(InputStream in) throws IOException {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null && !out.checkError(); line = lines.readLine()) {
                if (!line.isBlank()) {
                    receive(line);
                }
            }
        } finally {
            end();
        }
    }

    private void end() {
        calls.values().forEach(Toolbox.Call::cancel);
        thread.shutdown();
        try {
            if (!thread.awaitTermination(CLEAN_SECONDS, TimeUnit.SECONDS)) {
                calls.values().forEach(Toolbox.Call::kill);
                boolean unused = thread.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void receive(String line) {
        Object id = null;
        try {
            JsonObject message;
            try {
                message = JsonText.read(line);
            } catch (IllegalArgumentException e) {
                throw new Refused(NO_JSON, e.getMessage() + ".");
            }
            id = message.get("id");
            if (!(message.get("method") instanceof String method)) {
                // The answer to a request, of which this end makes none, is ignored.
                if (message.containsKey("result") || message.containsKey("error")) {
                    return;
                }
                throw new Refused(NO_REQUEST, "A request has a 'method'.");
            }
            JsonObject params = JsonText.map(message.get("params"));
            if (id == null) {
                notified(method, params);
            } else if (id instanceof String || id instanceof Long) {
                request(id, method, params);
            } else {
                id = null;
                throw new Refused(NO_REQUEST, "The id of a request is a text or a whole number.");
            }
        } catch (Refused e) {
            JsonObject error = new JsonObject();
            error.put("code", e.code);
            error.put("message", e.getMessage());
            if (!e.data.isEmpty()) {
                error.put("data", e.data);
            }
            send(id, "error", error);
        }
    }

    private void notified(String method, JsonObject params) {
        Object id = params.get("requestId");
        Toolbox.Call call = method.equals("notifications/cancelled") && id != null ? calls.get(id) : null;
        if (call != null) {
            call.cancel();
        }
    }

    private void request(Object id, String method, JsonObject params) throws Refused {
        JsonObject meta = JsonText.map(params.get("_meta"));
        Object version = meta.get(META + "protocolVersion");
        boolean stateless = version != null;
        if (version != null && !version.equals(STATELESS)) {
            throw new Refused(OTHER_VERSION, "Unsupported protocol version",
                ToolList.ordered("supported", versions(), "requested", version.toString()));
        }
        if (stateless && !(meta.get(META + "clientCapabilities") instanceof Map)) {
            throw new Refused(NO_ARGUMENTS, "The request lacks " + META + "clientCapabilities in _meta.");
        }
        switch (method) {
            case "initialize" -> answer(id, false, ToolList.ordered("protocolVersion",
                WITH_HANDSHAKE.contains(params.get("protocolVersion")) ? String.valueOf(params.get("protocolVersion"))
                    : WITH_HANDSHAKE.getFirst(),
                "capabilities", Map.of("tools", Map.of()), "serverInfo", self(), "instructions", INSTRUCTIONS));
            case "server/discover" -> answer(id, true, ToolList.ordered("supportedVersions", versions(), "capabilities",
                Map.of("tools", Map.of()), "serverInfo", self(), "instructions", INSTRUCTIONS, "ttlMs", CACHED_MILLIS, "cacheScope",
                "public"));
            case "ping" -> answer(id, stateless, Map.of());
            case "tools/list" ->
                answer(id, stateless, ToolList.ordered("tools", ToolList.json(), "ttlMs", CACHED_MILLIS, "cacheScope", "public"));
            case "tools/call" -> call(id, stateless, params, meta.get("progressToken"));
            default -> throw new Refused(NO_METHOD, "There is no method " + method + ".");
        }
    }

    private static List<String> versions() {
        return List.of(STATELESS, WITH_HANDSHAKE.get(0), WITH_HANDSHAKE.get(1), WITH_HANDSHAKE.get(2), WITH_HANDSHAKE.get(3));
    }

    private static Map<String, Object> self() {
        return ToolList.ordered("name", "brokermeter", "version", ToolVersion.text());
    }

    private void call(Object id, boolean stateless, JsonObject params, @Nullable Object token) throws Refused {
        if (!(params.get("name") instanceof String name) || ToolList.arguments(name) == null) {
            throw new Refused(NO_ARGUMENTS, "Unknown tool: " + params.get("name"));
        }
        Object arguments = params.get("arguments");
        if (arguments != null && !(arguments instanceof Map)) {
            throw new Refused(NO_ARGUMENTS, "The arguments of a call are an object.");
        }
        Toolbox.Call call = new Toolbox.Call();
        if (calls.putIfAbsent(id, call) != null) {
            throw new Refused(NO_REQUEST, "There is a request under way with this id.");
        }
        thread.execute(() -> {
            try {
                if (!call.isCancelled()) {
                    CallAnswer answer = tools.call(new CallArguments(name, JsonText.map(arguments)), call,
                        (seconds, line) -> progress(call, token, seconds, line));
                    if (!call.isCancelled()) {
                        answer(id, stateless, result(answer));
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                answer(id, stateless, result(CallAnswer.failure("Unexpected " + e + ".")));
            } finally {
                calls.remove(id);
            }
        });
    }

    private static Map<String, Object> result(CallAnswer answer) {
        Map<String, Object> result = ToolList.ordered("content", List.of(ToolList.ordered("type", "text", "text", answer.text())));
        if (!answer.failed()) {
            result.put("structuredContent", answer.structured());
        }
        result.put("isError", answer.failed());
        return result;
    }

    private void progress(Toolbox.Call call, @Nullable Object token, double seconds, String line) {
        if (token == null || call.isCancelled()) {
            return;
        }
        Map<String, Object> params = ToolList.ordered("progressToken", token, "progress", Math.round(seconds * 10) / 10.0);
        if (!line.isEmpty()) {
            params.put("message", line);
        }
        write(ToolList.ordered("jsonrpc", "2.0", "method", "notifications/progress", "params", params));
    }

    private void answer(Object id, boolean stateless, Map<String, ?> result) {
        JsonObject whole = new JsonObject();
        if (stateless) {
            whole.put("resultType", "complete");
        }
        whole.putAll(result);
        if (stateless) {
            whole.put("_meta", Map.of(META + "serverInfo", self()));
        }
        send(id, "result", whole);
    }

    private void send(@Nullable Object id, String name, Map<String, ?> value) {
        JsonObject message = new JsonObject();
        message.put("jsonrpc", "2.0");
        message.put("id", id);
        message.put(name, value);
        write(message);
    }

    private void write(Map<String, ?> message) {
        byte[] line = (JsonText.of(message) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (out) {
            out.write(line, 0, line.length);
            out.flush();
        }
    }
}
