package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.WarmUp;
import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.recording.confidence.Confidences;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.json.MarginJson;
import io.brokermeter.reports.json.ResultJson;
import io.brokermeter.reports.screen.MarkdownSummary;
import io.brokermeter.reports.screen.ScreenStyle;
import io.brokermeter.reports.screen.ScreenSummary;
import io.brokermeter.reports.screen.Summary;
import io.brokermeter.reports.table.ResultTable;
import io.brokermeter.reports.table.TableKind;
import io.brokermeter.reports.table.TableRow;
import org.junit.jupiter.api.Test;

/** How sure a figure is, in all outputs. */
class MarginTest {

    private static final Confidence FEW = new Confidence(Double.NaN, Double.NaN, 2.4);

    /** 100,000 samples: the median is 40 ms, p99 67 ms and p99.9 120 ms. */
    private static RunResult run() {
        Distribution d = new Distribution(Distribution.empty(), 0, 0);
        d.histogram().recordValueWithCount(40_000_000, 98_900);
        d.histogram().recordValueWithCount(67_000_000, 900);
        d.histogram().recordValueWithCount(120_000_000, 200);
        return Samples.success().with(its -> {
            its.measured = Map.of(Metric.RESPONSE, d);
            its.confidences = new Confidences(Map.of(Metric.RESPONSE, List.of(new Confidence(39.5e6, 41e6, 900),
                new Confidence(39e6, 41e6, 400), new Confidence(50e6, 97e6, 15), FEW, FEW)), new Confidence(3400, 3520, Double.NaN),
                new Confidence(3509, 3509.4, Double.NaN));
        });
    }

    private static StoredResult stored() {
        return ResultJson.stored(run(), Samples.CLIENT);
    }

    @Test
    void anIntervalSurvivesTheFile() {
        Confidence p99 = stored().confidence(Metric.RESPONSE, "p99");
        assertThat(p99.low()).isCloseTo(50_000, within(1e-3));
        assertThat(p99.high()).isCloseTo(97_000, within(1e-3));
        assertThat(stored().confidence(Metric.RESPONSE, "p99.9").isTooFew()).isTrue();
        assertThat(stored().confidence(ResultField.MEAN_SENT).high()).isEqualTo(3520);
        assertThat(stored().confidence(Metric.RESPONSE, "max")).isEqualTo(Confidence.UNKNOWN);
        StoredResult earlier = ResultJson.stored(Samples.success(), Samples.CLIENT);
        assertThat(earlier.confidence(Metric.RESPONSE, "p99")).isEqualTo(Confidence.UNKNOWN);
        assertThat(Margin.time(earlier, Metric.RESPONSE, "p99")).isEqualTo("1.50 us");
    }

    @Test
    void aMarginHasTheUnitOfItsFigureAndTwoDigits() {
        StoredResult result = stored();
        assertThat(Margin.time(result, Metric.RESPONSE, "p50")).isEqualTo("40.0 ms +- 1");
        assertThat(Margin.time(result, Metric.RESPONSE, "p99")).isEqualTo("67.0 ms +- 30");
        assertThat(Margin.time(result, Metric.RESPONSE, "p99.9")).isEqualTo("120 ms +- n/a (2 episodes)");
        assertThat(Margin.of(1000, new Confidence(999.876, 1000.05, Double.NaN))).isEqualTo("+- 0.13");
        assertThat(Margin.of(1_000_000, new Confidence(987_654, 1_000_001, Double.NaN))).isEqualTo("+- 13,000");
        assertThat(Margin.of(5, new Confidence(5, 5, Double.NaN))).isEqualTo("+- 0");
        assertThat(Margin.of(5, Confidence.UNKNOWN)).isEmpty();
    }

    @Test
    void theScreenHasThemBelowTheTimeThatCounts() {
        String screen = ScreenSummary.text(stored(), ScreenStyle.PLAIN, "", List.of());
        assertThat(screen.lines().filter(line -> line.startsWith("  95 %")).toList()).hasSize(1).first().asString()
            .matches("  95 % +\\+- 1 +\\+- 1.1 +\\+- 30 +\\+- n/a +2 episodes");
        assertThat(screen.lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(80));
        assertThat(screen).containsPattern("sent .* \\+- \\d").containsPattern("received .* \\+- \\d");
    }

    @Test
    void linesOfPerfStayAsTheyAreAndOthersFollow() {
        String with = new Summary(run(), Samples.CLIENT, false).text();
        String without = new Summary(run().with(its -> its.confidences = Confidences.NONE), Samples.CLIENT, false).text();
        List<String> added = new ArrayList<>(with.lines().toList());
        added.removeAll(without.lines().toList());
        assertThat(added).hasSize(3);
        assertThat(added.getFirst()).startsWith("--- 95% in response time: 50.00%: +- ").contains(" - 99.00%: +- 29",
            "99.90%: +- n/a (2 episodes)");
        assertThat(added.subList(1, 3)).allMatch(line -> line.matches("--- mean (sent|received): +[0-9.]+ msg/sec \\(\\+- [0-9.,]+\\)"));
    }

    @Test
    void markdownHasThemInItsCells() {
        assertThat(MarkdownSummary.text("run", stored())).contains("| 67.0 ms +- 30 |", "| 120 ms +- n/a (2 episodes) |");
    }

    @Test
    void tablesHaveThemWhereAFigureStandsAloneAndTheirFilesAtTheEnd() {
        TableRow row = new TableRow(1, Map.of("run", "a"), 1, Map.of(), "passed", stored(), List.of());
        TableRow again = new TableRow(1, Map.of("run", "a"), 2, Map.of(), "passed", stored(), List.of());
        assertThat(new ResultTable("", "", TableKind.GENERIC, List.of(row)).markdown()).contains(" +- 30,");
        assertThat(new ResultTable("", "", TableKind.GENERIC, List.of(row, again)).markdown()).doesNotContain("+-");
        List<String> csv = new ResultTable("", "", TableKind.GENERIC, List.of(row)).csv().lines().toList();
        List<String> head = List.of(csv.getFirst().split(",", -1));
        assertThat(head.subList(head.indexOf("doubts") + 1, head.size())).contains("responseP99Low", "responseP99High", "sentLow")
            .doesNotContain("responseP999Low");
        assertThat(csv.getLast()).contains(",50000,97000");
    }

    @Test
    void theSummaryInJsonHasThemByTheKeysOfTheirFigures() {
        Map<?, ?> json = (Map<?, ?>) JsonText.read(JsonText.object(one -> MarginJson.write(one, run(), Samples.CLIENT))).get("interval95");
        assertThat(new TreeSet<>(json.keySet().stream().map(String::valueOf).toList())).containsExactly("meanReceivedPerSecond",
            "meanSentPerSecond", "responseTime");
        assertThat(((Map<?, ?>) json.get("responseTime")).get("99")).hasToString("{low=50000, high=97000}");
        assertThat(((Map<?, ?>) json.get("responseTime")).get("99.9")).hasToString("{episodes=2.4}");
    }

    @Test
    void aWarmupThatWasFoundIsNamed() {
        RunResult settled = Samples.success().with(its -> its.warmUp = new WarmUp(6, 2.125, true, true));
        RunResult unsettled = Samples.success().with(its -> its.warmUp = new WarmUp(9, Double.NaN, false, true));
        assertThat(new Summary(settled, Samples.CLIENT, false).text())
            .containsPattern("--- warm-up: +6.000 s \\(auto, steady from 2.125 s on\\)");
        assertThat(new ResultWords(ResultJson.stored(settled, Samples.CLIENT)).reasons()).isEmpty();
        assertThat(new Summary(unsettled, Samples.CLIENT, false).text()).contains("9.000 s (auto, not settled by then)");
        assertThat(new ResultWords(ResultJson.stored(unsettled, Samples.CLIENT)).reasons()).singleElement().asString()
            .contains("had not settled when its warm-up of 9.00 s ended");
    }
}
