package io.brokermeter.reports.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;

import io.brokermeter.reports.html.HtmlReport;
import io.brokermeter.reports.stored.Fixtures;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Report formats, created from runs that an earlier version stored and parsed as their users parse them. */
class FormatsTest {

    /** Lists that {@code bin/create_charts.py} of OpenMessaging Benchmark reads from each file. */
    private static final List<String> CHARTED_LISTS = List.of("publishLatency99pct", "publishDelayLatency99pct", "publishRate",
        "publishErrorRate", "endToEndLatency95pct", "consumeRate", "endToEndLatencyAvg");
    private static final List<String> CHARTED_QUANTILES = List.of("aggregatedPublishLatencyQuantiles",
        "aggregatedPublishDelayLatencyQuantiles", "aggregatedEndToEndLatencyQuantiles");

    @TempDir
    Path directory;

    private final StoredRun run = StoredRun.read(Fixtures.RUN);
    private final StoredSweep sweep = StoredSweep.read(Fixtures.SWEEP);

    private static JsonNode json(String text) {
        return new JsonMapper().readTree(text);
    }

    private StoredRun cutOff() throws IOException {
        Path copy = Fixtures.copy(Fixtures.RUN, directory.resolve("cut-off"));
        Files.delete(copy.resolve("result.json"));
        return StoredRun.read(copy);
    }

    @Test
    void theChartScriptOfOpenMessagingBenchmarkFindsWhatItReads() {
        JsonNode omb = json(OmbJson.of(run));
        assertThat(omb.get("workload").asString()).isEqualTo("format-1");
        assertThat(omb.get("driver").asString()).isEqualTo("ActiveMQ Artemis 2.55.0");
        for (String list : CHARTED_LISTS) {
            assertThat(omb.get(list).size()).as(list + ": 8 s of measured intervals are one period of 10 s").isEqualTo(1);
            assertThat(omb.get(list).get(0).isNumber()).isTrue();
        }
        for (String quantiles : CHARTED_QUANTILES) {
            assertThat(omb.get(quantiles).propertyNames()).as(quantiles).contains("100.0")
                .allSatisfy(percentile -> assertThat(Double.parseDouble(percentile)).isBetween(0.0, 100.0));
        }
        assertThat(omb.get("publishRate").get(0).asDouble()).isCloseTo(1000, within(2.0));
        assertThat(omb.get("consumeRate").get(0).asDouble()).isCloseTo(1000, within(2.0));
        // in milliseconds, except the delay, which this format has in microseconds
        assertThat(omb.get("aggregatedPublishLatency99pct").asDouble()).isCloseTo(3.154, within(0.01));
        assertThat(omb.get("aggregatedEndToEndLatency99pct").asDouble()).isCloseTo(3.383, within(0.01));
        assertThat(omb.get("aggregatedPublishDelayLatency99pct").asDouble()).isCloseTo(1410, within(3.0));
        assertThat(omb.get("aggregatedPublishDelayLatency99pct").isIntegralNumber()).isTrue();
        assertThat(omb.get("publishLatency99pct").get(0).asDouble()).isEqualTo(omb.get("aggregatedPublishLatency99pct").asDouble());
        assertThat(omb.get("aggregatedEndToEndLatencyQuantiles").get("100.0").asDouble())
            .isEqualTo(omb.get("aggregatedEndToEndLatencyMax").asDouble());
    }

    @Test
    void aRunWhoseOnlyIntervalBeganInTheWarmUpCanBeCharted() throws Exception {
        Path copy = Fixtures.copy(Fixtures.RUN, directory.resolve("short"));
        Path intervals = copy.resolve("intervals.jsonl");
        Files.writeString(intervals, Files.readString(intervals).replaceAll("\"warmup\": *false", "\"warmup\":true"));
        JsonNode omb = json(OmbJson.of(StoredRun.read(copy)));
        assertThat(CHARTED_LISTS).allSatisfy(list -> assertThat(omb.get(list).size()).isPositive());
    }

    /** The script draws the values 10 s apart, so a single value for a longer interval would shorten the run. */
    @Test
    void anIntervalOfSeveralPeriodsCountsInEachOfThem() throws Exception {
        Path copy = Fixtures.copy(Fixtures.RUN, directory.resolve("long"));
        Histogram quick = histogram(100);
        Histogram slow = histogram(900);
        StringBuilder log = new StringBuilder();
        StringBuilder intervals = new StringBuilder();
        // 10 s of warm-up, 48 s of sends, 2 s of drain.
        long[][] rows = {{10, 10, 1000, 1000}, {34, 24, 4800, 2400}, {58, 24, 2400, 2400}, {60, 2, 0, 2400}};
        for (int i = 0; i < rows.length; i++) {
            long[] row = rows[i];
            intervals.append(
                "{\"sampleType\":\"interval\",\"warmup\":%b,\"time\":0,\"elapsedSeconds\":%d,\"intervalSeconds\":%d,\"sent\":0,\"received\":0,"
                    .formatted(i == 0, row[0], row[1]))
                .append("\"sentMessages\":%d,\"receivedMessages\":%d,\"failedMessages\":%d}\n".formatted(row[2], row[3], row[2] / 10));
            ByteBuffer bytes = ByteBuffer.allocate(10_000);
            int length = (i < 2 ? quick : slow).encodeIntoCompressedByteBuffer(bytes);
            log.append("Tag=%ssend,%d.000,%d.000,0.001,%s\n".formatted(i == 0 ? "warmup-" : "", row[0] - row[1], row[1],
                Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length))));
        }
        Files.writeString(copy.resolve("intervals.jsonl"), intervals);
        Files.writeString(copy.resolve("latency.hlog"), log);
        Path result = copy.resolve("result.json");
        Files.writeString(result, Files.readString(result).replaceFirst("\"sendingSeconds\": *[0-9.]+", "\"sendingSeconds\":58.0"));
        JsonNode omb = json(OmbJson.of(StoredRun.read(copy)));
        assertThat(numbers(omb.get("publishRate"))).as("the third has 4 s of the one and 6 s of the other")
            .containsExactly(200.0, 200.0, 140.0, 100.0, 100.0);
        assertThat(numbers(omb.get("publishErrorRate"))).containsExactly(20.0, 20.0, 14.0, 10.0, 10.0);
        assertThat(numbers(omb.get("consumeRate"))).containsExactly(100.0, 100.0, 100.0, 100.0, 100.0);
        assertThat(numbers(omb.get("backlog"))).containsExactly(1000.0, 2000.0, 2400.0, 2400.0, 2400.0);
        assertThat(numbers(omb.get("publishLatencyMax"))).containsExactly(0.1, 0.1, 0.9, 0.9, 0.9);
    }

    private static Histogram histogram(long micros) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(micros, 100);
        return histogram;
    }

    private static List<Double> numbers(JsonNode list) {
        return list.valueStream().map(one -> Math.round(one.asDouble() * 1e6) / 1e6).toList();
    }

    /** Zeros would be charted as the latency of a fast broker. */
    @Test
    void oneWayTimesThatWereLeftOutAreNotZeroForOpenMessagingBenchmark() throws Exception {
        Path copy = Fixtures.copy(Fixtures.RUN, directory.resolve("apart"));
        Path environment = copy.resolve("environment.json");
        Files.writeString(environment, Files.readString(environment).replaceFirst("\\{", "{\"oneWayTimes\":\"left out\","));
        StoredRun apart = StoredRun.read(copy);
        JsonNode omb = json(OmbJson.of(apart));
        assertThat(CHARTED_LISTS).allSatisfy(list -> assertThat(omb.get(list).size()).isEqualTo(list.startsWith("endToEnd") ? 0 : 1));
        assertThat(CHARTED_QUANTILES)
            .allSatisfy(quantiles -> assertThat(omb.get(quantiles).isEmpty()).isEqualTo(quantiles.contains("EndToEnd")));
        assertThat(omb.propertyNames()).contains("aggregatedPublishLatencyAvg").doesNotContain("aggregatedEndToEndLatencyAvg");
        assertThat(apart.notes())
            .containsOnlyOnce("Times from one agent to another are left out, since their clocks are known too little.");
    }

    @Test
    void aRunAsJsonHasEverythingWithUnits() {
        JsonNode report = json(RunJson.of(run));
        assertThat(report.get("kind").asString()).isEqualTo("run");
        assertThat(report.get("state").asString()).isEqualTo("ended");
        assertThat(report.get("intervals").size()).isEqualTo(10);
        assertThat(report.get("intervals").get(9).get("times").get("response").get("p50Micros").asDouble()).isPositive();
        assertThat(report.get("result").get("times").get("response").get("p99Micros").asDouble()).isEqualTo(3596.287);
        JsonNode curve = report.get("percentiles").get("response");
        assertThat(curve.get(curve.size() - 1).get("percentile").asDouble()).isEqualTo(100);
        assertThat(curve.get(curve.size() - 1).get("count").asLong()).isEqualTo(8000);
        JsonNode trials = json(RunJson.of(sweep)).get("trials");
        assertThat(trials.get(0).get("point").get("producers.threads").asString()).isEqualTo("2");
        assertThat(trials.get(1).get("result").get("rates").get("sentPerSecond").asDouble()).isPositive();
    }

    /** The schema describes every name in a report and the type of each value. */
    @Test
    void thePublishedSchemaDescribesEveryReport() throws Exception {
        JsonNode schema =
            json(Files.readString(Path.of(System.getProperty("brokermeter.root", ".."), "docs", "report.schema.json")));
        SchemaCheck check = new SchemaCheck(schema);
        assertThat(check.of(json(RunJson.of(run)), "run")).isEmpty();
        assertThat(check.of(json(RunJson.of(StoredRun.read(Fixtures.SECOND_RUN))), "run")).isEmpty();
        assertThat(check.of(json(RunJson.of(cutOff())), "run")).isEmpty();
        assertThat(check.of(json(RunJson.of(sweep)), "sweep")).isEmpty();
        String phases = RunJson.of(StoredRun.read(Fixtures.SECOND_RUN)).replaceFirst("\"phases\": *\\[\\{", "$0\"receivingSeconds\":1.5,");
        assertThat(phases).contains("receivingSeconds\":1.5");
        assertThat(check.of(json(phases), "run")).isEmpty();
        JsonNode broken = json(RunJson.of(run).replace("\"count\":8000", "\"count\":\"many\"").replace("\"sent\":", "\"sentToday\":"));
        assertThat(check.of(broken, "run")).anySatisfy(one -> assertThat(one).contains("count")).anySatisfy(
            one -> assertThat(one).contains("sentToday"));
    }

    @Test
    void theAgentsOfARunAreDescribedToo(@TempDir Path directory) throws Exception {
        try (Stream<Path> files = Files.list(Fixtures.SECOND_RUN)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, directory.resolve(file.getFileName()));
            }
        }
        Path result = directory.resolve("result.json");
        Files.writeString(result, Files.readString(result).replaceFirst("\"groups\":", Matcher.quoteReplacement(AGENTS + "\"groups\":")));
        StoredRun ofAgents = StoredRun.read(directory);
        JsonNode schema =
            json(Files.readString(Path.of(System.getProperty("brokermeter.root", ".."), "docs", "report.schema.json")));
        assertThat(new SchemaCheck(schema).of(json(RunJson.of(ofAgents)), "run")).isEmpty();
        assertThat(RunMarkdown.of(ofAgents)).contains("| near | 2 | 1 | 600 |", "| +12.0 us |", "| the same |", "lost: is gone |");
        assertThat(HtmlReport.of(ofAgents)).contains("agents-table", "lost: is gone").doesNotContain("agents-fairness-table");
        Files.writeString(result, Files.readString(result).replace("\"lost\":\"is gone\"", "\"lost\":null"));
        assertThat(HtmlReport.of(StoredRun.read(directory))).contains("agents-fairness-table");
    }

    private static final String AGENTS =
        """
            "agents":[{"name":"near","producers":2,"consumers":1,"sent":600,"received":500,"sentPerSecond":100.0,"receivedPerSecond":90.5,"cpuSeconds":1.5,
            "cpuPercent":15.0,"machineBusyPercent":40.0,"verdict":"doubtful","doubts":["busy"],"clockOffsetMicros":12.0,"clockBoundMicros":4.0,
            "startLateMicros":300.0,"lost":null},{"name":"far","producers":2,"consumers":0,"sent":400,"received":0,"sentPerSecond":null,
            "receivedPerSecond":null,"cpuSeconds":null,"cpuPercent":null,"machineBusyPercent":null,"verdict":"lost","doubts":[],"clockOffsetMicros":0.0,
            "clockBoundMicros":0.0,"startLateMicros":null,"lost":"is gone"}],"""
            .replace("\n", "");

    @Test
    void aBuildServerReadsTheTestCases() throws Exception {
        Element suite = suite(JUnitXml.of(run));
        assertThat(suite.getAttribute("tests")).isEqualTo("1");
        assertThat(suite.getAttribute("failures")).isEqualTo("0");
        assertThat(suite.getElementsByTagName("system-out").item(0).getTextContent()).contains("passed, 1,000 msg/s", "doubt: ");
        suite = suite(JUnitXml.of(StoredRun.read(Fixtures.SECOND_RUN)));
        assertThat(suite.getAttribute("tests")).as("the run and its thresholds").isEqualTo("4");
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        suite = suite(JUnitXml.of(sweep));
        assertThat(suite.getAttribute("tests")).isEqualTo("2");
        assertThat(suite.getAttribute("failures")).isEqualTo("2");
        NodeList cases = suite.getElementsByTagName("testcase");
        assertThat(((Element) cases.item(0)).getAttribute("name")).isEqualTo("trial 1: producers.threads 2");
        assertThat(((Element) suite.getElementsByTagName("failure").item(0)).getAttribute("message"))
            .startsWith("The asked rate was missed");
        suite = suite(JUnitXml.of(cutOff()));
        assertThat(suite.getAttribute("errors")).isEqualTo("1");
        assertThat(((Element) suite.getElementsByTagName("error").item(0)).getAttribute("message")).startsWith("The run was cut off");
        suite = suite(JUnitXml.text("<&\"\u0001", "", Map.of("a", "<"),
            List.of(new JUnitXml.Case("s", "n", Double.NaN, "failure", List.of("]]> \u0000 <b>"), List.of()))));
        assertThat(suite.getAttribute("name")).isEqualTo("brokermeter <&\"\uFFFD");
        assertThat(suite.getElementsByTagName("failure").item(0).getTextContent()).isEqualTo("]]> \uFFFD <b>");
    }

    /**
     * The state in the sweep decides: a trial may have been meant to miss its rate, and a worker may have been killed after it wrote its
     * result.
     */
    @Test
    void aTrialIsWhatItsSweepSaysOfIt() throws Exception {
        Path copy = Fixtures.copy(Fixtures.SWEEP, directory.resolve("judged"));
        Path plan = copy.resolve("sweep.json");
        Files.writeString(plan, Files.readString(plan).replaceFirst("\"failed\"", "\"passed\"")
            .replaceFirst("(\"failed\",\"causes\":\\[)[^]]*]", "$1\"The worker did not end.\"]"));
        StoredSweep judged = StoredSweep.read(copy);
        Path result = judged.trials().get(1).directory().resolve("result.json");
        Files.writeString(result,
            Files.readString(result).replace("\"success\":false", "\"success\":true").replaceFirst("\"causes\":\\[[^]]*]",
                "\"causes\":[]"));

        Element suite = suite(JUnitXml.of(judged));
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        NodeList cases = suite.getElementsByTagName("testcase");
        assertThat(((Element) cases.item(0)).getElementsByTagName("failure").getLength()).isZero();
        assertThat(((Element) ((Element) cases.item(1)).getElementsByTagName("failure").item(0)).getAttribute("message"))
            .isEqualTo("The worker did not end.");
        List<String> lines = RunCsv.of(judged).lines().toList();
        int state = List.of(lines.getFirst().split(",")).indexOf("state");
        assertThat(lines.subList(1, 3)).extracting(line -> line.split(",", -1)[state]).containsExactly("passed", "failed");
        assertThat(SweepTables.markdown(judged)).containsPattern("\\| 2 +\\|[^\n]*\\| doubtful \\|")
            .containsPattern("\\| 1 +\\|[^\n]*\\| +failed \\|")
            .contains("Failures by cause:\n\n- producers.threads 1: The worker did not end.\n")
            .doesNotContain("The asked rate was missed by more than half");
    }

    @Test
    void aBeginThatIsNotKnownIsLeftOut() throws Exception {
        Path copy = Fixtures.copy(Fixtures.RUN, directory.resolve("without"));
        for (String name : List.of("result.json", "environment.json", "intervals.jsonl")) {
            Files.delete(copy.resolve(name));
        }
        assertThat(JUnitXml.of(StoredRun.read(copy))).doesNotContain("timestamp", "null");
        assertThat(suite(JUnitXml.of(run)).getAttribute("timestamp")).startsWith("2026-11-22T09:25");
    }

    /** Names of phases remain strings in JSON, whatever they look like. */
    @Test
    void aPhaseThatIsCalledTrueIsNoBoolean() throws Exception {
        Path copy = Fixtures.copy(Fixtures.SECOND_RUN, directory.resolve("named"));
        Path generator = copy.resolve("generator.csv");
        Files.writeString(generator, Files.readString(generator).replace(",calm,", ",true,").replace(",storm,", ",7,"));
        JsonNode rows = json(RunJson.of(StoredRun.read(copy))).get("generator");
        assertThat(rows.size()).isPositive();
        assertThat(rows).allSatisfy(row -> assertThat(row.get("phase").isString()).isTrue());
        assertThat(rows).anySatisfy(row -> assertThat(row.get("phase").asString()).isEqualTo("true"));
    }

    private static Element suite(String xml) throws Exception {
        return (Element) DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8))).getDocumentElement().getElementsByTagName("testsuite")
            .item(0);
    }

    @Test
    void figuresAndIntervalsAreCommaSeparated() {
        List<String> lines = RunCsv.of(run).lines().toList();
        assertThat(lines).hasSize(2);
        List<String> head = List.of(lines.get(0).split(","));
        List<String> cells = List.of(lines.get(1).split(",", -1));
        assertThat(cells.get(head.indexOf("run"))).isEqualTo("format-1");
        assertThat(cells.get(head.indexOf("state"))).isEqualTo("passed");
        assertThat(cells.get(head.indexOf("responseP99"))).isEqualTo("3596.287");
        assertThat(RunCsv.of(sweep).lines()).hasSize(3);
        List<String> intervals = RunCsv.intervals(run).lines().toList();
        assertThat(intervals).hasSize(11)
            .allSatisfy(line -> assertThat(line.split(",", -1)).hasSameSizeAs(intervals.getFirst().split(",")));
        assertThat(intervals.getFirst()).contains("end,elapsed_seconds", "response_p999_us", "broker_cpu_percent");
        assertThat(intervals.get(1)).startsWith("2026-11-22T09:25:12.458Z,1.001,");
    }

    @Test
    void markdownHasTheFiguresAndWhatSpeaksAgainstThem() throws IOException {
        String text = RunMarkdown.of(run);
        assertThat(text).contains("### format-1: PASSED, BUT DOUBTFUL", "| ledger | every message once", "8,000 |",
            "run format-1, tool 0.1.0");
        assertThat(RunMarkdown.of(cutOff())).contains("### cut-off: CUT OFF", "cut off after 10.0 s", "| ledger | not known");
        assertThat(SweepTables.markdown(sweep)).contains("## case-3-rate", "| 1 ", "| 2 ", "failed", "Failures by cause");
    }

    @Test
    void theLogIsReadByTheLibraryOfHdrHistogram() throws IOException {
        List<String> tags = new ArrayList<>();
        HistogramLogReader reader = new HistogramLogReader(new ByteArrayInputStream(run.latencyLog().getBytes(StandardCharsets.UTF_8)));
        for (EncodableHistogram one = reader.nextIntervalHistogram(); one != null; one = reader.nextIntervalHistogram()) {
            tags.add(one.getTag());
        }
        assertThat(tags).contains("response", "warmup-send", "transfer").hasSize(44);
        assertThat(new StringReader(run.latencyLog()).read()).isEqualTo('#');
    }
}
