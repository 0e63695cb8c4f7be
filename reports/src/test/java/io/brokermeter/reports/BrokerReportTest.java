package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.csv.BrokerCsv;
import io.brokermeter.reports.json.JsonReport;
import io.brokermeter.reports.screen.ConsoleOptions;
import io.brokermeter.reports.screen.ConsoleReport;
import io.brokermeter.reports.screen.StatusLine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Figures of the broker under test on the console, in JSON and in {@code broker.csv}. */
class BrokerReportTest {

    private static final ConsoleOptions SHOWN = new ConsoleOptions(false, false, false, StatusLine.NONE, 80, true);
    private static final ConsoleOptions NOT_SHOWN = new ConsoleOptions(false, false, false, StatusLine.NONE, 80);
    private static final ConsoleOptions VERBOSE = new ConsoleOptions(false, false, true, StatusLine.NONE, 80);

    @TempDir
    Path directory;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private ConsoleReport console(ConsoleOptions options) {
        return new ConsoleReport(out, out, options, Samples.CLIENT);
    }

    private String out() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theLiveBlockHasALineWhenItIsWanted() throws Exception {
        console(SHOWN).interval(Samples.with(Samples.broker()));
        assertThat(out()).endsWith("--- broker:    cpu 85.3 %, memory 512.0 MiB (2.1 %), threads 77, files 120, disk read 0.0 "
            + "written 12.0 MiB/s, switches 3000 + 40 /s, heap 200.0 of 1024.0 MiB, gc 2 (14 ms), depth 12, my,metric 1.5\n");
    }

    @Test
    void whatIsNotKnownIsNotInTheLine() throws Exception {
        console(VERBOSE).interval(Samples.with(Samples.brokers()));
        assertThat(out()).endsWith("--- broker:    cpu 10.0 %, memory 2.0 MiB\n");
    }

    @Test
    void theLiveBlockIsThatOfArtemisOtherwise() throws Exception {
        console(NOT_SHOWN).interval(Samples.with(Samples.broker()));
        assertThat(out()).doesNotContain("broker");
        console(SHOWN).interval(Samples.interval(0));
        assertThat(out()).doesNotContain("broker");
    }

    @Test
    void theSummaryHasTheCpuOfBothSides() throws Exception {
        console(NOT_SHOWN).finished(Samples.with(Samples.figures()));
        assertThat(out()).contains("""
            --- cpu per message:       31.26 us (and 50.00 us of the broker)
            --- broker cpu:             17.5 % (max 85.3 %)
            --- broker memory:         500.0 MiB (2.0 % of the machine, max 512.0 MiB)
            --- verdict: \
            """).doesNotContain("broker heap");
    }

    @Test
    void theVerboseSummaryHasAllOfIt() throws Exception {
        console(VERBOSE).finished(Samples.with(Samples.figures()));
        assertThat(out()).contains("""
            --- broker threads:           77 (most)
            --- broker files:            120 (most)
            --- broker disk:            12.0 MiB written (0.0 MiB read)
            --- broker switches:       30000 (and 400 involuntary)
            --- broker heap:           200.0 MiB (most, of 1024.0 MiB)
            --- broker gc:                 2 (14 ms)
            --- broker depth:             12 (most messages waiting)
            --- broker: java (pid 4711)
            """);
    }

    @Test
    void aBrokerWhoseDepthAloneIsKnownHasNoCpuInTheSummary() throws Exception {
        console(NOT_SHOWN).finished(Samples.with(BrokerFigures.UNKNOWN.withDepthMax(5)));
        assertThat(out()).contains("--- cpu per message:       31.26 us\n").doesNotContain("broker cpu");
    }

    @Test
    void jsonHasTheFiguresWithUnitsInTheirNames() throws Exception {
        Path file = directory.resolve("r.jsonl");
        try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
            report.interval(Samples.interval(0));
            report.interval(Samples.with(Samples.broker()));
            report.interval(Samples.with(Samples.brokers()));
            report.finished(Samples.with(Samples.figures()));
            report.finished(Samples.success());
        }
        List<JsonNode> lines = Files.readAllLines(file).stream().map(new ObjectMapper()::readTree).toList();
        assertThat(lines.get(0).has("broker")).isFalse();
        assertThat(lines.get(1).get("broker")).hasToString("""
            {"seconds":1,"cpuPercent":85.25,"residentBytes":536870912,"memoryPercent":2.125,"threads":77,"openFiles":120,\
            "diskReadBytes":0,"diskWrittenBytes":12582912,"voluntarySwitches":3000,"involuntarySwitches":40,\
            "heapUsedBytes":209715200,"heapCommittedBytes":419430400,"heapMaxBytes":1073741824,"gcPauses":2,"gcPauseMillis":14,\
            "depthMessages":12,"metrics":{"my,metric":1.5}}""");
        JsonNode two = lines.get(2).get("broker");
        assertThat(two.get("memoryPercent").isNull()).isTrue();
        assertThat(two.get("heapUsedBytes").isNull()).isTrue();
        assertThat(two.get("processes")).hasSize(2);
        assertThat(two.get("processes").get(0).get("pid").asLong()).isEqualTo(1);
        assertThat(two.get("processes").get(0).get("cpuPercent").asDouble()).isEqualTo(5);
        JsonNode summary = lines.get(3).get("broker");
        assertThat(summary.get("observed").asString()).isEqualTo("java (pid 4711)");
        assertThat(summary.get("cpuMicrosPerMessage").asDouble()).isEqualTo(50);
        assertThat(summary.get("cpuMaxPercent").asDouble()).isEqualTo(85.25);
        assertThat(summary.get("depthMaxMessages").asLong()).isEqualTo(12);
        assertThat(lines.get(4).get("broker").isNull()).isTrue();
    }

    @Test
    void theFileOfItsOwnHasALineForEachInterval() throws Exception {
        Path file = directory.resolve("broker.csv");
        try (BrokerCsv csv = BrokerCsv.open("--out", file, List.of("my,metric", "other"))) {
            csv.interval(Samples.with(Samples.broker()));
            assertThat(Files.readAllLines(file)).as("each line is there at once").hasSize(2);
            csv.interval(Samples.interval(1));
            csv.interval(Samples.with(Samples.brokers()));
        }
        assertThat(Files.readString(file)).isEqualTo("""
            time,elapsed_seconds,warmup,phase,seconds,cpu_percent,resident_bytes,memory_percent,threads,open_files,\
            disk_read_bytes,disk_written_bytes,voluntary_switches,involuntary_switches,heap_used_bytes,heap_committed_bytes,\
            heap_max_bytes,gc_pauses,gc_pause_millis,depth_messages,processes,"my,metric",other
            2026-01-02T03:04:06.250Z,1.000,false,peak,1.000,85.25,536870912,2.125,77,120,0,12582912,3000,40,209715200,\
            419430400,1073741824,2,14,12,,1.5,
            2026-01-02T03:04:06.250Z,1.000,false,peak,1.000,10.00,2097152,,,,,,,,,,,,,,a_b:1:5.00:1048576 c:2:5.00:1048576,,
            """);
    }

    @Test
    void aFileThatCannotBeMadeIsRefused() {
        assertThatThrownBy(() -> BrokerCsv.open("--out", directory.resolve("none").resolve("broker.csv"), List.of()))
            .isInstanceOf(UsageException.class).hasMessageContaining("--out");
    }
}
