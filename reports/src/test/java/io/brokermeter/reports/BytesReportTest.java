package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.IntervalDocument;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.json.JsonReport;
import io.brokermeter.reports.json.ResultJson;
import io.brokermeter.reports.screen.MarkdownSummary;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.table.TableColumn;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of bytes in all outputs, on a run of bodies of 1 KiB. */
class BytesReportTest {

    private static final double PER_SECOND = 35_097 * 1024 / 10.0;

    private static RunResult result() {
        return Samples.success().with(its -> {
            its.groups = List.of(GroupResult.of(group -> {
                group.name = "p";
                group.producing = true;
                group.set(Count.SENT_BYTES, 5_000);
                group.set(Count.COMPLETED_BYTES, 4_000);
            }));
            its.phases = List.of(new PhaseResult("one", 10, Samples.counts(10, 10).with(Count.SENT_BYTES, 3_000), 10, Map.of()));
        });
    }

    @Test
    void theResultHasThemInAllOfItsParts() {
        StoredResult stored = ResultJson.stored(result(), Samples.CLIENT);
        assertThat(stored.document().bytes()).containsExactly(Map.entry("sent", 71_878_656.0), Map.entry("completed", 71_878_656.0),
            Map.entry("received", 71_878_656.0));
        assertThat(stored.number(ResultField.MEAN_SENT_BYTES)).isCloseTo(PER_SECOND, within(0.001));
        assertThat(stored.number(ResultField.MEAN_RECEIVED_BYTES)).isCloseTo(35_090 * 1024 / 10.0, within(0.001));
        assertThat(stored.document().groups().getFirst().counts()).containsEntry("sentBytes", 5_000.0)
            .containsEntry("completedBytes", 4_000.0).containsEntry("receivedBytes", 0.0);
        assertThat(stored.document().phases().getFirst().counts()).containsEntry("sentBytes", 3_000.0)
            .containsEntry("receivedBytes", 0.0).doesNotContainKey("completedBytes");
        assertThat(MarkdownSummary.text("run", stored)).contains("3,510/s, 3.59 MB/s", "3,509/s, 3.59 MB/s");
        assertThat(column("sentMegabytes").of(stored)).isCloseTo(PER_SECOND / 1e6, within(1e-6));
    }

    private static TableColumn column(String key) {
        return TableColumn.ofKey(key).orElseThrow();
    }

    @Test
    void intervalsAndTheSummaryHaveThemAsJson() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonReport report = JsonReport.on(new PrintStream(out, true, StandardCharsets.UTF_8), Samples.CLIENT)) {
            report.interval(Samples.interval(0, false, 1000, Samples.ramp(10, 1), Samples.empty()));
            report.finished(result());
        }
        String[] lines = out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("{")).toArray(String[]::new);
        StoredInterval interval =
            new StoredInterval(0, DocumentJson.read(IntervalDocument.class, JsonText.read(lines[0].replaceAll(",$", ""))));
        assertThat(interval.count(Count.SENT_BYTES)).isEqualTo(7316 * 1024);
        assertThat(interval.count(Count.COMPLETED_BYTES)).isEqualTo(7320 * 1024);
        assertThat(interval.perSecond(Count.RECEIVED_BYTES)).isEqualTo(7317 * 1024);
        assertThat(JsonText.read(lines[1])).containsEntry("sentBytes", 71_878_656L).containsEntry("completedBytes", 71_878_656L)
            .containsEntry("receivedBytes", 71_878_656L).containsKeys("meanSentBytesPerSecond", "meanReceivedBytesPerSecond");
    }

    @Test
    void ofARunOfAnEarlierVersionTheyAreNotKnown() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>(JsonText.read(ResultJson.text(result(), Samples.CLIENT, null)));
        values.remove("bytes");
        Map<String, @Nullable Object> rates = new LinkedHashMap<>(JsonText.map(values.get("rates")));
        rates.keySet().removeIf(key -> key.contains("Bytes"));
        values.put("rates", rates);
        StoredResult stored = StoredResult.of(values);

        assertThat(ResultField.ofParts().map(ResultField::of)).isNotEmpty().allSatisfy(field -> assertThat(stored.number(field)).isNaN());
        assertThat(column("sentMegabytes").of(stored)).isNaN();
        assertThat(MarkdownSummary.text("run", stored)).contains("3,510/s").doesNotContain("MB/s");
        assertThat(new StoredInterval(0, DocumentJson.read(IntervalDocument.class, Map.of("sentMessages", 5L))).count(Count.SENT_BYTES))
            .isNaN();
    }
}
