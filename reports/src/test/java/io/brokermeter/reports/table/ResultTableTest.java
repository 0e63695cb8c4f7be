package io.brokermeter.reports.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ResultTableTest {

    private static StoredResult result(long messages, double perSecond, Map<String, Object> more) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("success", true);
        values.put("sends", true);
        values.put("successPercent", 100.0);
        values.put("sendingSeconds", messages / perSecond);
        values.put("messages", Map.of("sent", messages, "measuredSent", messages, "received", messages, "measuredReceived", messages));
        values.put("rates", Map.of("completedPerSecond", perSecond, "measuredReceivedPerSecond", perSecond));
        values.putAll(more);
        return StoredResult.of(values);
    }

    private static TableRow row(int number, int repeat, String queues, @Nullable StoredResult result, String state,
            Map<String, PublishedFigure> published) {
        return new TableRow(number, Map.of("queues", queues), repeat, published, state, result, List.of());
    }

    private static TableRow row(String key, String value, String state, StoredResult result, String... causes) {
        return new TableRow(1, Map.of(key, value), 1, Map.of(), state, result, List.of(causes));
    }

    @Test
    void aRowHasTheMedianOfItsRepeatsThePublishedFigureAndTheRatio() {
        Map<String, PublishedFigure> published = Map.of("sent", new PublishedFigure("2000/s", 2000));
        String text = new ResultTable("async", "", TableKind.ROCKETMQ, List.of(
            row(1, 1, "4", result(1000, 900, Map.of()), "", published),
            row(2, 2, "4", result(1000, 1000, Map.of()), "", published),
            row(3, 3, "4", result(1000, 1200, Map.of()), "", published))).markdown();

        assertThat(text).contains("## async", "| queues |", "published | ratio", "1,000 (900 to 1,200)", "    2000/s |  0.50 |",
            "Median of the repeats, with their range.");
    }

    @Test
    void whatIsSmallIsNotZeroAndALineEndInAValueEndsNoRow() {
        String text = new ResultTable("", "", TableKind.ROCKETMQ, List.of(row(1, 1, "4\n8", result(1000, 0.0412, Map.of()), "",
            Map.of("sent", new PublishedFigure("9/s", 9))))).markdown();

        assertThat(text).contains("| 4 8 ", " 0.041 |", " 0.0046 |").doesNotContain(" 0.00 |");
        assertThat(text.lines()).hasSize(3);
    }

    @Test
    void amountsOfWorkAreShownBesideWhatWasPublishedAndNotDividedByIt() {
        String text = new ResultTable("", "", TableKind.ROCKETMQ, List.of(row(1, 1, "4", result(1000, 500, Map.of()), "",
            Map.of("messages", new PublishedFigure("100000", 100_000))))).markdown();

        assertThat(text.lines().findFirst()).hasValueSatisfying(head -> assertThat(head).contains("messages | published | success %"));
    }

    @Test
    void whatTheFirstConsumersGotIsNotTakenFromProducersOfTheSameName() {
        StoredResult result = result(1000, 500, Map.of("groups", List.of(
            Map.of("kind", "producers", "name", "prices", "messagesPerSecond", 40_000.0),
            Map.of("kind", "consumers", "name", "prices", "messagesPerSecond", 250.0),
            Map.of("kind", "consumers", "name", "others", "messagesPerSecond", 30.0))));

        assertThat(TableColumn.RECEIVED.of(result)).isEqualTo(250);
    }

    @Test
    void whatIsComparedIsWhatAllGroupsOfConsumersGot() {
        StoredResult result = result(1000, 500, Map.of("rates", Map.of("measuredReceivedPerSecond", 280.0), "groups", List.of(
            Map.of("kind", "consumers", "name", "prices", "messagesPerSecond", 250.0),
            Map.of("kind", "consumers", "name", "others", "messagesPerSecond", 30.0))));

        assertThat(TableColumn.receivedByAll(result)).isEqualTo(280);
    }

    @Test
    void twoGroupsOfOneKindStandInATableOfTheirOwn() {
        for (String kind : List.of("producers", "consumers")) {
            StoredResult result = result(1000, 500, Map.of("groups", List.of(Map.of("kind", kind, "name", "a", "messagesPerSecond", 400.0),
                Map.of("kind", kind, "name", "b", "messagesPerSecond", 100.0))));
            assertThat(new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", result, "", Map.of()))).markdown().lines())
                .contains("Groups, from their start to their end, warm-up included:").anyMatch(line -> line.matches(
                    "\\| queues 4 \\| " + kind + " a +\\| +400 \\|"))
                .anyMatch(line -> line.contains(kind + " b"));
        }
        StoredResult pair = result(1000, 500, Map.of("groups", List.of(Map.of("kind", "producers", "name", "a", "messagesPerSecond", 400.0),
            Map.of("kind", "consumers", "name", "b", "messagesPerSecond", 400.0))));
        assertThat(new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", pair, "", Map.of()))).markdown())
            .doesNotContain("Groups");
    }

    /** The warm-up takes 10 of 20 s, and nothing is sent in it if producers start after it. */
    @Test
    void whatWasSentAfterAWarmUpIsNotDividedByIt() {
        Map<String, Object> rates = Map.of("completedPerSecond", 500.0, "measuredSentPerSecond", 1000.0);
        Map<String, Object> lengths = Map.of("rates", rates, "sendingSeconds", 20.0, "measuredSeconds", 10.0);
        assertThat(TableColumn.SENT.of(result(10_000, 1000, lengths))).isEqualTo(1000);
        assertThat(TableColumn.SENT.of(result(10_000, 500, Map.of("rates", rates, "sendingSeconds", 20.0, "measuredSeconds", 19.999999))))
            .as("without a warm-up").isEqualTo(500);
    }

    @Test
    void eachPhaseHasARowOfItsOwn() {
        StoredResult result = result(1000, 500, Map.of("phases", List.of(
            Map.of("name", "calm", "seconds", 5.0, "sent", 500, "received", 490, "times", Map.of("response", Map.of("p50Micros", 900.0))),
            Map.of("name", "burst", "seconds", 3.0, "receivingSeconds", 5.0, "sent", 6000, "received", 1500, "times", Map.of()))));
        String text = new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", result, "", Map.of()))).markdown();

        assertThat(text.lines().dropWhile(line -> !line.equals("Phases:")).toList()).satisfies(lines -> {
            assertThat(lines.get(2)).contains("phase", "sent/s", "response p50");
            assertThat(lines.get(4)).contains("| calm ", " 100 |", " 98 |", " 900 |");
            assertThat(lines.get(5)).contains("| burst ", " 2,000 |", " 300 |");
        });
    }

    @Test
    void theResponseTimeIsAColumnOfEveryTable() {
        StoredResult result = result(1000, 500, Map.of("times", Map.of("response", Map.of("p50Micros", 900.0, "p99Micros", 1_500.0))));
        for (TableKind kind : TableKind.values()) {
            assertThat(new ResultTable("", "", kind, List.of(row(1, 1, "4", result, "", Map.of()))).markdown()).as(kind.name())
                .contains("response p50", "response p99");
        }
    }

    private static Map<String, Object> times(double p50Micros) {
        return Map.of("response", Map.of("count", 15_561, "p50Micros", p50Micros));
    }

    /** After the warm-up, consumers receive only messages that were due in it: 15,561. */
    @Test
    void timesOfARunInWhichAllThatCameWasOverdueStandMarked() {
        StoredResult overdue = result(1000, 500, Map.of("times", Map.of(), "timesWithOverdue", times(7_100_000)));
        StoredResult due = result(1000, 500, Map.of("times", times(900), "timesWithOverdue", times(8_800_000)));
        ResultTable table = new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", overdue, "", Map.of()),
            row(2, 1, "8", due, "", Map.of()), row(3, 2, "8", overdue, "", Map.of())));
        String note =
            "Times with * are with overdue: nothing that was due after the warm-up had that time, so it is that of what was sent and "
                + "received after the warm-up and due in it.";

        assertThat(table.markdown()).contains("\n\n" + note + "\n");
        assertThat(table.markdown().lines().filter(line -> line.startsWith("| 4 "))).singleElement().asString().contains(" 7,100,000* |");
        assertThat(table.markdown().lines().filter(line -> line.startsWith("| 8 "))).singleElement().asString().contains(" 900 |")
            .doesNotContain("*", "000,000");
        assertThat(table.text(new TableView(60, List.of())).replaceAll("\\s+", " ")).contains("7,100,000*", note);
        assertThat(table.text(new TableView(60, TableView.columns(List.of("sent"))))).doesNotContain("*");
        List<List<String>> csv = table.csv().lines().map(line -> List.of(line.split(",", -1))).toList();
        int p50 = csv.getFirst().indexOf("responseP50");
        int mark = csv.getFirst().indexOf("withOverdue");
        assertThat(csv.stream().skip(1).map(line -> line.get(p50))).containsExactly("7100000", "900", "7100000");
        assertThat(csv.stream().skip(1).map(line -> line.get(mark))).containsExactly("responseP50", "", "responseP50");
    }

    @Test
    void aTableWithoutOverdueTimesSaysNothingOfThem() {
        ResultTable table =
            new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", result(1000, 500, Map.of("times", times(900))),
                "", Map.of())));

        assertThat(table.markdown()).contains(" 900 |").doesNotContain("*", "overdue");
    }

    @Test
    void aTrialThatFailedIsARowThatSaysSo() {
        String text = new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", result(1000, 500, Map.of()), "", Map.of()),
            row(2, 1, "8", null, "failed", Map.of()))).markdown();

        assertThat(text.lines().filter(line -> line.startsWith("| 8 "))).singleElement().asString().endsWith("failed |");
    }

    @Test
    void aTrialThatPassedAndHasNoResultAnyMoreIsNoneThatPassed() {
        String text = new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", result(1000, 500, Map.of()), "passed", Map.of()),
            row(2, 1, "8", null, "passed", Map.of()))).markdown();

        assertThat(text.lines().filter(line -> line.startsWith("| 8 "))).singleElement().asString().endsWith("failed |");
    }

    @Test
    void failuresStandBelowByCauseOnceEach() {
        StoredResult result = result(1000, 500, Map.of("failureCauses", Map.of("SYSTEM_BUSY (2): [TIMEOUT_CLEAN_QUEUE]", 34),
            "causes", List.of("34 sends failed: SYSTEM_BUSY (2): [TIMEOUT_CLEAN_QUEUE] (34 times)"),
            "findings", List.of(Map.of("kind", "sends-failed", "failure", true, "sentence",
                "34 sends failed: SYSTEM_BUSY (2): [TIMEOUT_CLEAN_QUEUE] (34 times)"))));
        String text = new ResultTable("", "", TableKind.ROCKETMQ, List.of(row("queues", "4", "failed", result,
            "34 sends failed: SYSTEM_BUSY (2): [TIMEOUT_CLEAN_QUEUE] (34 times)", "2 messages are lost"))).markdown();

        assertThat(text).endsWith("""

            Failures by cause:

            - queues 4: 34 sends failed: SYSTEM_BUSY (2): [TIMEOUT_CLEAN_QUEUE]
            - queues 4: 2 messages are lost
            """);
    }

    private static StoredResult doubtful(String reason) {
        return result(1000, 900, Map.of("health", Map.of("reasons", List.of(reason)),
            "findings", List.of(Map.of("kind", "machine-busy", "failure", false, "sentence", reason))));
    }

    @Test
    void aTrialWhoseGeneratorMayHaveBeenTheLimitSaysSo() {
        String reason = "all cores of this machine were busy (%s %%)";
        List<TableRow> rows = List.of(
            row(1, 1, "4", doubtful(reason.formatted(97)), "", Map.of()),
            row(2, 2, "4", doubtful(reason.formatted(99.5)), "", Map.of()),
            row(3, 1, "8", result(1000, 900, Map.of("health", Map.of("reasons", List.of()))), "", Map.of()));
        ResultTable table = new ResultTable("", "", TableKind.ROCKETMQ, rows);

        assertThat(table.markdown()).contains("2 doubtful |").endsWith("""

            Doubtful:

            - queues 4: all cores of this machine were busy (97 %)
            """);
        assertThat(table.csv().lines().skip(1).findFirst().orElseThrow()).contains(",passed,").endsWith("busy (97 %)");
    }

    @Test
    void aDoubtIsSaidOnceForAllVariantsThatItConcerns() {
        String reason = "all cores of this machine were busy (%s %%)";
        List<TableRow> rows = List.of(row(1, 1, "4", doubtful(reason.formatted(97)), "", Map.of()),
            row(2, 1, "8", doubtful(reason.formatted(99)), "", Map.of()), row(3, 1, "16", result(1000, 900, Map.of()), "", Map.of()));

        assertThat(new ResultTable("", "", TableKind.ROCKETMQ, rows).markdown())
            .endsWith("\n- queues 4; queues 8: all cores of this machine were busy (97 %)\n");
        assertThat(new ResultTable("", "", TableKind.ROCKETMQ, rows.subList(0, 2)).markdown())
            .endsWith("\n- all 2 variants: all cores of this machine were busy (97 %)\n");
    }

    /** Guards against naming the first of two agents for doubts about both, one in each variant. */
    @Test
    void aDoubtAboutAnAgentIsSaidOfThatAgentAlone() {
        List<TableRow> rows = IntStream.of(1, 2).mapToObj(agent -> {
            String sentence = "agent" + agent + ": all cores were busy";
            return row(agent, 1, "" + agent, result(1000, 900, Map.of("health", Map.of("reasons", List.of(sentence)), "findings",
                List.of(Map.of("kind", "machine-busy", "failure", false, "agent", "agent" + agent, "sentence", sentence)))), "", Map.of());
        }).toList();

        assertThat(new ResultTable("", "", TableKind.ROCKETMQ, rows).markdown())
            .endsWith("\n- queues 1: agent1: all cores were busy\n- queues 2: agent2: all cores were busy\n");
    }

    /** The sentence of a finding omits what an earlier one states, here the processes that used the CPUs. */
    @Test
    void aDoubtHasItsKindThoughItsSentenceIsShorterAmongTheFindings() {
        List<TableRow> rows = IntStream.of(97, 99).mapToObj(percent -> row(percent, percent, "4",
            result(1000, 900, Map.of("health", Map.of("reasons", List.of("all cores were busy (" + percent + " %)")),
                "findings", List.of(Map.of("kind", "machine-busy", "failure", false, "sentence", "all cores were busy")))),
            "", Map.of())).toList();

        assertThat(new ResultTable("", "", TableKind.ROCKETMQ, rows).markdown()).endsWith("\n- queues 4: all cores were busy (97 %)\n")
            .doesNotContain("(99 %)");
    }

    @Test
    void aTrialThatFailedOrWasInterruptedEntersNoMedian() {
        StoredResult failed = result(1000, 10, Map.of("success", false));
        String text = new ResultTable("", "", TableKind.ROCKETMQ, List.of(row(1, 1, "4", result(1000, 900, Map.of()), "", Map.of()),
            row(2, 2, "4", failed, "", Map.of()), row(3, 3, "4", result(1000, 20, Map.of()), "interrupted", Map.of()),
            row(4, 1, "8", failed, "", Map.of("sent", new PublishedFigure("2000/s", 2000))),
            row(5, 2, "8", result(1000, 30, Map.of("success", false)), "", Map.of()),
            row(6, 1, "16", result(1000, 30, Map.of()), "interrupted", Map.of()))).markdown();

        assertThat(text.lines().filter(line -> line.startsWith("| 4 "))).singleElement().asString().contains(" 900 |",
            "1 failed, 1 interrupted |").doesNotContain(" to ");
        assertThat(text.lines().filter(line -> line.startsWith("| 8 "))).singleElement().asString().contains("(10 to 30)", "2 failed |",
            "2000/s |       |");
        assertThat(text.lines().filter(line -> line.startsWith("| 16 "))).singleElement().asString().doesNotContain("30");
        assertThat(text).contains("In parentheses: figures of trials that failed.");
    }

    @Test
    void onATerminalTheColumnsThatFitAreShownAndTheOthersNamed() {
        StoredResult result = result(1000, 500, Map.of("times", Map.of("response", Map.of("p50Micros", 900.0, "p99Micros", 1_500.0),
            "send", Map.of("p50Micros", 400.0, "p99Micros", 500.0), "transfer", Map.of("p50Micros", 300.0, "p99Micros", 350.0)),
            "health", Map.of("cpuMicrosPerMessage", 12.5), "broker", Map.of("cpuPercent", 45.5, "cpuMicrosPerMessage", 23.5)));
        List<TableRow> rows = List.of(row("producers.load.rate", "100/s", "", result));
        ResultTable table = new ResultTable("rates", "", TableKind.GENERIC, rows);

        String narrow = table.text(new TableView(60, List.of()));
        assertThat(narrow.lines()).allSatisfy(line -> assertThat(line.length()).as(line).isLessThan(60));
        assertThat(narrow).contains("rates\n", "rate ", "sent/s", "received/s", "p99 us", "Not shown for want of room:", "send p50 us")
            .doesNotContain("|", "producers.load.rate");
        assertThat(table.text(new TableView(TableView.ANY, List.of()))).contains("own").doesNotContain("Not shown");
        String chosen = table.text(new TableView(60, TableView.columns(List.of("sendP50", "sent"))));
        assertThat(chosen.lines().filter(line -> line.startsWith("100/s"))).singleElement().asString().matches("100/s +400 +500");
        assertThatThrownBy(() -> TableView.columns(List.of("sentt"))).hasMessageContaining("there is no column 'sentt'");
    }

    @Test
    void ofSeveralGroupsOfConsumersTheRateOfTheFirstIsCompared() {
        List<Map<String, Object>> groups = List.of(
            Map.of("name", "p", "kind", "producers", "messagesPerSecond", 700.0),
            Map.of("name", "fast", "kind", "consumers", "messagesPerSecond", 600.0),
            Map.of("name", "slow", "kind", "consumers", "messagesPerSecond", 5.0));

        assertThat(TableColumn.RECEIVED.of(result(1000, 500, Map.of("groups", groups)))).isEqualTo(600);
        assertThat(TableColumn.RECEIVED.of(result(1000, 500, Map.of()))).isEqualTo(500);
    }

    @Test
    void aTableSaysOfWhichConsumersItHasTheRate() {
        StoredResult several = result(1000, 500, Map.of("groups", List.of(
            Map.of("name", "fast", "kind", "consumers", "messagesPerSecond", 600.0),
            Map.of("name", "slow", "kind", "consumers", "messagesPerSecond", 5.0))));
        ResultTable table = new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", several, "", Map.of())));
        String note =
            "\n\nWhere there are several groups of consumers, received/s is that of the first of them, from its first delivery to its last, "
                + "warm-up included.\n";

        assertThat(table.markdown()).contains(" 600 |", note);
        assertThat(table.text(new TableView(TableView.ANY, TableView.columns(List.of("sent"))))).doesNotContain("several groups");
        assertThat(
            new ResultTable("", "", TableKind.GENERIC, List.of(row(1, 1, "4", result(1000, 500, Map.of()), "", Map.of()))).markdown())
            .doesNotContain("several groups");
    }

    @Test
    void commaSeparatedValuesAreQuotedWhereTheyMustBe() {
        String text = new ResultTable("", "", TableKind.GENERIC, List.of(row("size", "list:1,2", "",
            result(1000, 500, Map.of()), "It \"broke\"."))).csv();

        assertThat(text).contains("\"list:1,2\"", "\"It \"\"broke\"\".\"");
        assertThat(text.lines()).hasSize(2);
    }
}
