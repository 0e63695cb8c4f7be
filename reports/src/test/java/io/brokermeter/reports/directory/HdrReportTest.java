package io.brokermeter.reports.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.Samples;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class HdrReportTest {

    private static final long START_MILLIS = Samples.START.toEpochMilli();

    @TempDir
    Path dir;

    @Test
    void javaReaderFindsEveryTagCountPercentileAndTime() throws Exception {
        Path file = dir.resolve("run.hdr");
        Distribution warm = Samples.ramp(1000, 10);
        Distribution measured = Samples.ramp(20_000, 5);
        try (HdrReport report = HdrReport.open(file)) {
            report.interval(Samples.interval(0, true, 1000, Samples.empty(), warm));
            report.interval(Samples.interval(1, true, 1000, measured, warm));
            report.interval(Samples.interval(2, false, 250, measured, Samples.empty()));
            report.event(new Event(2, Event.Kind.NOTICE, new Finding.OneWayLeftOut(50, 111)));
            report.finished(Samples.success());
        }
        assertThat(file).content().contains("\n#[oneWayTimes: left out]\n");
        List<Histogram> all = read(file);
        assertThat(all).extracting(Histogram::getTag).containsExactly(
            "warmup-delay-send", "warmup-send", "warmup-transfer", "warmup-response",
            "warmup-delay-send", "warmup-send", "warmup-transfer", "warmup-response",
            "delay-send", "send", "transfer", "response",
            "delay-send", "send", "transfer", "response");

        List<Histogram> transfers = all.stream().filter(h -> "transfer".equals(h.getTag())).toList();
        Histogram partial = transfers.get(1);
        assertThat(partial.getTotalCount()).isEqualTo(20_000);
        assertThat(partial.getNumberOfSignificantValueDigits()).isEqualTo(3);
        for (double percentile : List.of(50.0, 90.0, 99.0, 99.9, 99.99, 100.0)) {
            double micros = measured.nanosAt(percentile) / 1e3;
            assertThat((double) partial.getValueAtPercentile(percentile)).isCloseTo(micros, within(micros * 0.002));
        }
        assertThat(partial.getMean()).isCloseTo(measured.meanNanos() / 1e3, within(50.0));
        assertThat(transfers).extracting(Histogram::getStartTimeStamp).containsExactly(START_MILLIS + 1000, START_MILLIS + 2000);
        assertThat(transfers).extracting(Histogram::getEndTimeStamp).containsExactly(START_MILLIS + 2000, START_MILLIS + 2250);
    }

    @Test
    void readerSelectsByTimeRelativeAndAbsolute() throws Exception {
        Path file = dir.resolve("run.hdr");
        try (HdrReport report = HdrReport.open(file)) {
            for (int i = 0; i < 3; i++) {
                report.interval(Samples.interval(i));
            }
        }
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
            assertThat(reader.nextIntervalHistogram(1.0, 1.9).getStartTimeStamp()).isEqualTo(START_MILLIS + 1000);
            assertThat(reader.getStartTimeSec()).isEqualTo(START_MILLIS / 1e3);
        }
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
            double second = START_MILLIS / 1e3 + 2;
            assertThat(reader.nextAbsoluteIntervalHistogram(second - 0.1, second + 0.5).getStartTimeStamp())
                .isEqualTo(START_MILLIS + 2000);
        }
    }

    @Test
    void headNamesFormatUnitsAndTimes() throws Exception {
        Path file = dir.resolve("run.hdr");
        try (HdrReport report = HdrReport.open(file)) {
            report.interval(Samples.interval(0));
        }
        assertThat(Files.readAllLines(file)).startsWith(
            "#[Times of messages by brokermeter, in microseconds; Interval_Max in milliseconds]",
            "#[Histogram log format version 1.3]",
            "#[StartTime: 1767323045.250 (seconds since epoch), 2026-01-02T03:04:05.250Z]",
            "#[BaseTime: 1767323045.250 (seconds since epoch)]",
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"")
            .element(5).asString().startsWith("Tag=delay-send,0.000,1.000,0.002,HISTFAAAA");
    }

    @Test
    void emptyHistogramsAreLeftOutAndTheHeadStillStands() throws Exception {
        Path file = dir.resolve("run.hdr");
        try (HdrReport report = HdrReport.open(file)) {
            report.interval(Samples.interval(0, false, 1000, Samples.empty(), Samples.empty()));
        }
        assertThat(Files.readString(file)).contains("#[StartTime").doesNotContain("Tag=");
        Path none = dir.resolve("none.hdr");
        try (HdrReport report = HdrReport.open(none)) {
            report.finished(Samples.success());
        }
        assertThat(Files.readString(none)).contains("#[BaseTime: 1767323045.250 ");
        assertThat(read(none)).isEmpty();
    }

    @Test
    void samplesBelowAMicrosecondAndVeryLongOnesAreKept() throws Exception {
        Path file = dir.resolve("run.hdr");
        Histogram nanos = new Histogram(1, 3_600_000_000_000L, 3);
        nanos.recordValue(0);
        nanos.recordValue(499);
        nanos.recordValue(500);
        nanos.recordValueWithCount(3_000_000_000_000L, 7);
        try (HdrReport report = HdrReport.open(file)) {
            report.interval(Samples.interval(0, false, 1000, new Distribution(nanos, 0, 0), Samples.empty()));
        }
        Histogram micros = read(file).get(0);
        assertThat(micros.getCountAtValue(0)).isEqualTo(2);
        assertThat(micros.getCountAtValue(1)).isEqualTo(1);
        assertThat(micros.getTotalCount()).isEqualTo(10);
        assertThat((double) micros.getMaxValue()).isCloseTo(3e9, within(3e6));
    }

    @Test
    void localeDoesNotMatter() throws Exception {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            Path file = dir.resolve("run.hdr");
            try (HdrReport report = HdrReport.open(file)) {
                report.interval(Samples.interval(0));
            }
            assertThat(read(file)).hasSize(4);
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void pathThatCannotBeWrittenIsRefusedAtOnce() {
        assertThatThrownBy(() -> HdrReport.open(dir)).isInstanceOf(UsageException.class).hasMessageStartingWith("--hdr ");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void fullDiskFailsTheInterval() throws Exception {
        try (HdrReport report = HdrReport.open(Path.of("/dev/full"))) {
            assertThatThrownBy(() -> report.interval(Samples.interval(0))).isInstanceOf(IOException.class)
                .hasMessageStartingWith("--hdr /dev/full could not be written: ");
            report.finished(Samples.success());
        }
    }

    private static List<Histogram> read(Path file) throws IOException {
        List<Histogram> all = new ArrayList<>();
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
            EncodableHistogram next;
            while ((next = reader.nextIntervalHistogram()) != null) {
                all.add((Histogram) next);
            }
        }
        return all;
    }
}
