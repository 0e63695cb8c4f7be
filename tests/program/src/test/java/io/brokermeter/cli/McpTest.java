package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.JsonText;
import org.junit.jupiter.api.Test;

/** The tool as an instrument of software agents: the real program, spoken to as an agent does. */
class McpTest extends ToolInDirectory {

    private static final String STATELESS =
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"%s\",\"io.modelcontextprotocol/clientCapabilities\":{}}";

    /** Tool, arguments with apostrophes for quotation marks, and a part of the sentence. */
    private static final List<String> WRONG = List.of(
        "measure | {}                                                                            | Say in 'broker' what to measure",
        "measure | {'broker':'nosuch'}                                                           | 'nosuch' is not a broker that can be started",
        "measure | {'broker':'artemis','rat':5}                                                  | has no argument 'rat'; did you mean 'rate'?",
        "measure | {'broker':'artemis','rate':'fast'}                                            | Rate 'fast'",
        "measure | {'broker':'artemis','rate':[5]}                                               | The argument 'rate' must be a text.",
        "measure | {'broker':'artemis','duration':'2h'}                                          | a call may measure for 600 s",
        "measure | {'broker':'artemis','settings':{'message.siez':5}}                            | did you mean 'size'?",
        "measure | {'broker':'artemis','settings':{'url':'tcp://127.0.0.1:1'}}                   | A call cannot set the key 'url'",
        "measure | {'broker':'artemis','settings':{'consumers.url':'tcp://192.0.2.1:1'}}         | not by a key 'url'",
        "measure | {'broker':'artemis','settings':{'agents':'h1'}}                               | A call cannot set the key 'agents'",
        "measure | {'broker':'artemis','settings':{'message.body':'file:/etc/passwd'}}           | file",
        "measure | {'broker':'artemis','settings':{'producers.passwordFile':'/etc/passwd'}}      | A call carries no login",
        "measure | {'broker':'artemis','settings':{'broker.address':'192.0.2.7'}}                | listens on loopback alone",
        "measure | {'broker':'artemis','settings':{'faults':['run ./x at 2s']}}                  | A call runs no command",
        "measure | {'broker':'tcp://192.0.2.1:61616'}                                            | Calls may not load tcp://192.0.2.1:61616",
        "measure | {'broker':'tcp://127.0.0.1.example:61616'}                                    | Calls may not load",
        "measure | {'broker':'(tcp://127.0.0.1:61616,tcp://192.0.2.1:61616)'}                    | Calls may not load",
        "measure | {'broker':'tcp://u:topsecret@127.0.0.1:61616'}                                | A call carries no login",
        "measure | {'broker':'tcp://127.0.0.1:1','protocol':'NOSUCH'}                            | 'NOSUCH'",
        "search  | {'broker':'artemis','to':'900M/s'}                                            | 'to' can be",
        "search  | {'broker':'artemis','goals':['p99']}                                          | p99",
        "search  | {'broker':'artemis','time':'2h'}                                              | a call may measure for 600 s",
        "compare | {'broker':'artemis'}                                                          | Say in 'a' and 'b' what differs",
        "compare | {'broker':'artemis','a':{'url':'tcp://192.0.2.1:1'}}                          | A variant cannot change 'url'",
        "compare | {'broker':'artemis','b':{'producers.url':'tcp://192.0.2.1:1'}}                | not by a key 'url'",
        "compare | {'runs':['last','last~1'],'rate':5}                                           | 'runs' names two or more",
        "report  | {'run':'../..'}                                                               | is no name of a run",
        "report  | {'run':'nosuch'}                                                              | There is no run 'nosuch'");

    private static void say(Running mcp, String message) throws IOException {
        mcp.type("{\"jsonrpc\":\"2.0\"," + message + "}\n");
    }

    private static void call(Running mcp, int id, String tool, String arguments) throws IOException {
        say(mcp, "\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool + "\",\"arguments\":" + arguments
            + ",\"_meta\":{\"progressToken\":\"t" + id + "\"}}");
    }

    private static Map<String, Object> awaitAnswer(Running mcp, int id) throws InterruptedException {
        mcp.awaitOut("\"id\":" + id + ",");
        return messages(mcp.out()).filter(message -> Long.valueOf(id).equals(message.get("id"))).findFirst().orElseThrow();
    }

    private static Map<String, Object> awaitResult(Running mcp, int id) throws InterruptedException {
        return JsonText.map(awaitAnswer(mcp, id).get("result"));
    }

    /** Returns all messages; each line of the output is one. */
    private static Stream<Map<String, Object>> messages(String out) {
        return out.lines().map(JsonText::read);
    }

    private static String text(Map<String, Object> result) {
        return String.valueOf(JsonText.maps(result.get("content")).getFirst().get("text"));
    }

    private static Map<String, Object> structured(Map<String, Object> result) {
        assertThat(result.get("isError")).as("%s", result).isEqualTo(false);
        return JsonText.map(result.get("structuredContent"));
    }

    private static void awaitNoProcess(List<ProcessHandle> started) throws Exception {
        for (ProcessHandle one : started) {
            one.onExit().get(Tool.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @Test
    void anAgentOfAnyRevisionLearnsWhatThereIs() throws Exception {
        try (Running mcp = tool().start("mcp")) {
            say(mcp, "\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
                + "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}");
            assertThat(awaitResult(mcp, 1)).containsEntry("protocolVersion", "2025-06-18").containsKey("serverInfo")
                .containsEntry("capabilities", Map.of("tools", Map.of()));
            say(mcp, "\"method\":\"notifications/initialized\"");
            say(mcp, "\"id\":2,\"method\":\"tools/list\"");
            List<JsonObject> tools = JsonText.maps(awaitResult(mcp, 2).get("tools"));
            assertThat(tools).extracting(tool -> tool.get("name")).containsExactly("measure", "search", "compare", "report");
            assertThat(tools).allSatisfy(tool -> assertThat(tool).containsKeys("description", "inputSchema", "outputSchema"));
            say(mcp, "\"id\":3,\"method\":\"ping\"");
            assertThat(awaitResult(mcp, 3)).isEmpty();
            say(mcp, "\"id\":4,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"1999-01-01\"}");
            assertThat(awaitResult(mcp, 4)).containsEntry("protocolVersion", "2025-11-25");
            say(mcp, "\"id\":5,\"method\":\"server/discover\",\"params\":{" + STATELESS.formatted("2026-07-28") + "}");
            assertThat(awaitResult(mcp, 5)).containsEntry("resultType", "complete").containsKeys("supportedVersions", "serverInfo",
                "ttlMs");
            say(mcp, "\"id\":6,\"method\":\"tools/list\",\"params\":{" + STATELESS.formatted("1999-01-01") + "}");
            assertThat(JsonText.map(awaitAnswer(mcp, 6).get("error"))).containsEntry("code", -32022L);
            say(mcp, "\"id\":7,\"method\":\"resources/list\"");
            assertThat(JsonText.map(awaitAnswer(mcp, 7).get("error"))).containsEntry("code", -32601L);
            call(mcp, 8, "nosuch", "{}");
            assertThat(JsonText.map(awaitAnswer(mcp, 8).get("error"))).containsEntry("code", -32602L);
            mcp.type("no JSON\n[]\n{\"id\":9}\n");
            awaitAnswer(mcp, 9);
            mcp.endInput();
            Finished ended = mcp.await().exits(0).leavesNothing();
            assertThat(ended.err()).isEmpty();
            assertThat(messages(ended.out()).map(message -> JsonText.map(message.get("error")).get("code"))).contains(-32700L, -32600L);
        }
    }

    @Test
    void whatACallMeasuredIsToldInSentencesAndReportedAgain() throws Exception {
        try (Running mcp = tool().start("mcp")) {
            call(mcp, 1, "measure", "{\"broker\":\"artemis\",\"rate\":\"200/s\",\"duration\":2,\"warmup\":\"1s\",\"messageSize\":\"2KiB\","
                + "\"settings\":{\"message.persistent\":true,\"consumers\":{\"ackMode\":\"batch\",\"batch\":10}}}");
            Map<String, Object> result = awaitResult(mcp, 1);
            Map<String, Object> figures = structured(result);
            assertThat(String.valueOf(figures.get("run"))).endsWith("-measure");
            assertThat(text(result)).contains("| response |", "| ledger |", String.valueOf(figures.get("run")));
            assertThat(figures.get("sentences").toString()).contains("2 KiB");
            // A stall at the end leaves some of the 400 messages unsent.
            Map<String, Object> messages = JsonText.map(JsonText.map(figures.get("result")).get("messages"));
            assertThat(messages).containsEntry("received", messages.get("sent"));
            assertThat((Long) messages.get("sent")).isBetween(1L, 400L);
            assertThat(Files.readString(tool().state().resolve("brokermeter/runs/" + figures.get("run") + "/scenario.yaml")))
                .contains("persistent", "2KiB", "batch");
            assertThat(messages(mcp.out()).filter(message -> "notifications/progress".equals(message.get("method")))
                .map(message -> JsonText.map(message.get("params")))).isNotEmpty()
                .allSatisfy(params -> assertThat(params).containsEntry("progressToken", "t1"));
            call(mcp, 2, "report", "{\"run\":\"" + figures.get("run") + "\",\"page\":true}");
            Map<String, Object> again = structured(awaitResult(mcp, 2));
            assertThat(again).containsEntry("verdict", figures.get("verdict")).containsEntry("result", figures.get("result"));
            assertThat(tool().state().resolve("brokermeter/runs/" + figures.get("run") + "/report.html")).isNotEmptyFile();
            awaitNoProcess(mcp.descendants());
            mcp.endInput().await().exits(0).leavesNothing();
        }
    }

    @Test
    void aCancelledCallEndsItsRunAndTheNextOneFollows() throws Exception {
        try (Running mcp = tool().start("mcp", "--call-time", "20m")) {
            call(mcp, 1, "measure", "{\"broker\":\"loopback://a\",\"rate\":\"100/s\",\"duration\":\"600s\",\"warmup\":\"0s\"}");
            mcp.awaitOut("\"message\":\"received: ");
            List<ProcessHandle> started = mcp.descendants();
            assertThat(started).isNotEmpty();
            say(mcp, "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1,\"reason\":\"enough\"}");
            awaitNoProcess(started);
            call(mcp, 2, "report", "{}");
            Map<String, Object> ended = structured(awaitResult(mcp, 2));
            assertThat(ended.get("sentences").toString()).contains("Ended by SIGTERM after ");
            mcp.endInput();
            assertThat(messages(mcp.await().exits(0).leavesNothing().out()))
                .noneMatch(message -> Long.valueOf(1).equals(message.get("id")));
        }
    }

    @Test
    void theEndOfTheInputEndsTheRun() throws Exception {
        try (Running mcp = tool().start("mcp", "--call-time", "20m")) {
            call(mcp, 1, "measure", "{\"broker\":\"nats\",\"rate\":\"100/s\",\"duration\":\"600s\"}");
            mcp.awaitOut("\"message\":\"received: ");
            List<ProcessHandle> started = mcp.descendants();
            assertThat(started).hasSizeGreaterThan(1);
            mcp.endInput().await().exits(0).leavesNothing();
            awaitNoProcess(started);
        }
    }

    @Test
    void aKilledInstrumentLeavesNoLoadBehind() throws Exception {
        try (Running mcp = tool().start("mcp", "--call-time", "20m")) {
            call(mcp, 1, "measure", "{\"broker\":\"loopback://a\",\"rate\":\"100/s\",\"duration\":\"600s\"}");
            mcp.awaitOut("\"message\":\"received: ");
            List<ProcessHandle> started = mcp.descendants();
            mcp.signal("KILL").await();
            awaitNoProcess(started);
        }
    }

    @Test
    void aSearchAndAComparisonAnswerInTheirWords() throws Exception {
        try (Running mcp = tool().start("mcp")) {
            call(mcp, 1, "search",
                "{\"broker\":\"loopback://a\",\"from\":\"100/s\",\"to\":\"200/s\",\"time\":\"2s\",\"goals\":[\"response.p99 < 1s\"]}");
            call(mcp, 2, "compare",
                "{\"broker\":\"loopback://a\",\"rate\":\"100/s\",\"duration\":\"300ms\",\"warmup\":\"0s\",\"figure\":\"throughput\","
                    + "\"a\":{\"messageSize\":\"100\"},\"b\":{\"message.size\":\"200\"},\"time\":2}");
            Map<String, Object> limit = structured(awaitResult(mcp, 1));
            assertThat(limit).containsKeys("run", "verdict", "sentences", "limit");
            assertThat(JsonText.maps(JsonText.map(limit.get("limit")).get("trials"))).isNotEmpty();
            Map<String, Object> comparison = structured(awaitResult(mcp, 2));
            assertThat(comparison.get("sentences").toString()).contains("Measured in turn.", "A 100, B 200");
            assertThat(JsonText.maps(comparison.get("comparisons")).getFirst()).containsEntry("figure", "throughput");
            call(mcp, 3, "report", "{\"run\":\"" + comparison.get("run") + "\"}");
            assertThat(structured(awaitResult(mcp, 3))).containsKey("comparisons");
            mcp.endInput().await().exits(0).leavesNothing();
        }
    }

    @Test
    void aWrongCallIsToldWhatIsWrongInOneSentence() throws Exception {
        try (Running mcp = tool().start("mcp", "--allow-broker", "amqp://tester:topsecret@127.0.0.1:1")) {
            for (int id = 1; id <= WRONG.size(); id++) {
                String[] one = WRONG.get(id - 1).split(" *\\| *");
                call(mcp, id, one[0], one[1].replace('\'', '"'));
            }
            for (int id = 1; id <= WRONG.size(); id++) {
                Map<String, Object> result = awaitResult(mcp, id);
                assertThat(result).as(WRONG.get(id - 1)).containsEntry("isError", true);
                assertThat(text(result)).as(WRONG.get(id - 1)).contains(WRONG.get(id - 1).split(" *\\| *")[2])
                    .doesNotContain("/tmp", "Exception");
                assertThat(text(result).lines()).as(text(result)).hasSize(1);
            }
            // A broker that was allowed, and is not there.
            call(mcp, 1000, "measure", "{\"broker\":\"amqp://127.0.0.1:1\",\"duration\":\"1s\"}");
            assertThat(text(awaitResult(mcp, 1000))).contains("127.0.0.1:1");
            Finished ended = mcp.endInput().await().exits(0).leavesNothing();
            assertThat(ended.out() + ended.err()).doesNotContain("topsecret");
            assertThat(tool().state().resolve("brokermeter/runs")).isEmptyDirectory();
        }
    }
}
