package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;

import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.reports.json.JsonReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

/** Files that are written when a run is over. */
class FinalReportTest {

    @TempDir
    Path directory;

    private static RunResult limited(RunResult result) {
        return result
            .with(its -> its.thresholds =
                List.of(new ThresholdResult(Threshold.parse("response.p99 < 1us"), 1.5, 100_000, false, true, false),
                    new ThresholdResult(Threshold.parse("lost == 0"), 0, -1, true, true, false)));
    }

    private static Element suites(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    }

    @Test
    void junitHasACaseForTheRunAndOneForEachThreshold() throws Exception {
        Path file = directory.resolve("junit.xml");
        try (FinalReport report = FinalReport.junit(file, "client", Samples.CLIENT)) {
            report.finished(limited(Samples.success()));
        }
        Element suite = (Element) suites(file).getElementsByTagName("testsuite").item(0);
        assertThat(suite.getAttribute("tests")).isEqualTo("3");
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        assertThat(suite.getAttribute("time")).isEqualTo("20.125");
        Element failed = (Element) suite.getElementsByTagName("failure").item(0);
        assertThat(failed.getAttribute("message")).isEqualTo("response.p99 < 1us: 1.50 us");
        assertThat(((Element) failed.getParentNode()).getAttribute("name")).isEqualTo("threshold response.p99 < 1us");
    }

    @Test
    void whatTheGeneratorDidIsNotJudgedInTheSameCase() throws Exception {
        Path file = directory.resolve("junit.xml");
        RunResult result = Samples.success().with(its -> its.thresholds =
            List.of(new ThresholdResult(Threshold.parse("response.p99 < 1us"), 1.5, 100_000, false, false, false)));
        try (FinalReport report = FinalReport.junit(file, "client", Samples.CLIENT)) {
            report.finished(result);
        }
        Element suite = (Element) suites(file).getElementsByTagName("testsuite").item(0);
        assertThat(suite.getAttribute("failures")).isEqualTo("0");
        assertThat(suite.getAttribute("skipped")).isEqualTo("2");
        Element limit = (Element) suite.getElementsByTagName("skipped").item(1);
        assertThat(limit.getAttribute("message")).startsWith("not judged: response.p99 < 1us: 1.50 us");
        assertThat(((Element) limit.getParentNode()).getAttribute("name")).isEqualTo("threshold response.p99 < 1us");
    }

    @Test
    void aFailedRunIsAFailedCaseAndOddSignsBreakNoXml() throws Exception {
        Path file = directory.resolve("junit.xml");
        try (FinalReport report = FinalReport.junit(file, "brokermeter.client", Samples.CLIENT)) {
            report.finished(Samples.result(List.of("<odd> & \u0001"), Samples.ledger(), Samples.same(1, 1), new GeneratorVerdict.Sound()));
        }
        Element failed = (Element) suites(file).getElementsByTagName("failure").item(0);
        assertThat(failed.getAttribute("message")).contains("<odd> & \uFFFD");
    }

    @Test
    void aSummaryIsAddedToWhatTheFileHas() throws Exception {
        Path file = Files.writeString(directory.resolve("summary.md"), "before\n\n");
        for (int i = 0; i < 2; i++) {
            try (FinalReport report = FinalReport.summary(file, "brokermeter client", Samples.CLIENT)) {
                report.finished(limited(Samples.with(Samples.figures())));
            }
        }
        String text = Files.readString(file);
        assertThat(text).startsWith("before\n\n### brokermeter client: THRESHOLD MISSED\n");
        assertThat(text.lines().filter(line -> line.startsWith("### "))).hasSize(2);
        assertThat(text).contains("- Not kept: response.p99 &lt; 1us: 1.50 us\n",
            "| time | p50 | p90 | p99 | p99.9 | max | samples |\n|---|---:|---:|---:|---:|---:|---:|\n",
            "| response | 1.50 us | 1.50 us | 1.50 us | 1.50 us | 1.50 us | 100,000 |\n",
            "| broker | CPU 17.5 %, 50.0 us a message, memory 500 MiB |\n", "| response.p99 &lt; 1us | **missed** | 1.50 us |\n",
            "| lost == 0 | kept | 0 |\n");
    }

    @Test
    void jsonOnAStreamIsOneArray() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonReport report = JsonReport.on(new PrintStream(bytes, true, StandardCharsets.UTF_8), Samples.CLIENT)) {
            report.interval(Samples.interval(0));
            report.finished(Samples.success());
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8)).startsWith("[\n{\"sampleType\":\"interval\"").endsWith("}\n]\n")
            .contains(",\n{\"sampleType\":\"summary\"");
    }
}
