package io.brokermeter.reports.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.Samples;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonReportTest {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    @TempDir
    Path dir;

    @Test
    void arrayHasAnObjectPerIntervalAndASummaryWithTheKeysOfArtemis() throws Exception {
        Path file = dir.resolve("run.json");
        try (JsonReport report = JsonReport.open(file, Samples.RATED)) {
            report.interval(Samples.interval(0, true, 1000, Samples.empty(), Samples.same(100_000, 1500)));
            report.interval(Samples.interval(1, false, 500, Samples.same(1000, 1500), Samples.empty()));
            report.finished(Samples.success());
        }
        JsonNode all = MAPPER.readTree(Files.readString(file));
        assertThat(all.isArray()).isTrue();
        assertThat(all.size()).isEqualTo(3);

        JsonNode first = all.get(0);
        assertThat(first.propertyNames()).startsWith("sampleType", "warmup", "time", "sent", "delayed", "completed",
            "received", "delaySendTime", "sendTime", "transferTime", "responseTime");
        assertThat(first.get("sampleType").asString()).isEqualTo("interval");
        assertThat(first.get("warmup").isBoolean()).isTrue();
        assertThat(first.get("time").asLong()).isEqualTo(Samples.START.toEpochMilli() + 1000);
        assertThat(first.get("sent").asLong()).isEqualTo(7316);
        assertThat(first.get("delayed").asLong()).isEqualTo(6632);
        assertThat(first.get("sendTime").propertyNames())
            .containsExactly("mean", "50", "90", "99", "99.9", "99.99", "max", "count");
        assertThat(first.get("sendTime").get("mean").isNumber()).isTrue();
        assertThat(first.get("sendTime").get("99.99").asDouble()).isEqualTo(1.5);
        assertThat(first.get("sendTime").get("count").asLong()).isEqualTo(100_000);

        JsonNode second = all.get(1);
        assertThat(second.get("sent").asLong()).as("a second's worth of half a second").isEqualTo(14632);
        assertThat(second.get("transferTime").get("99").asDouble()).isEqualTo(1.5);
        assertThat(second.get("transferTime").get("99.9").isNumber()).isTrue();
        assertThat(second.get("transferTime").get("fewSamples")).extracting(JsonNode::asString).containsExactly("99.9", "99.99");

        JsonNode summary = all.get(2);
        assertThat(summary.propertyNames()).startsWith("sampleType", "time", "seed", "result", "totalSent", "totalBlocked",
            "totalCompleted", "totalReceived", "totalDelaySendTime", "totalSendTime", "totalTransferTime");
        assertThat(summary.get("result").asString()).isEqualTo("success");
        assertThat(summary.get("ledger").get("lostMessages").asLong()).isZero();
        for (String name : new String[] {"left", "undelivered", "untaken", "beforeSubscription", "unconfirmedDelivered", "failedDelivered",
            "unselected", "otherDestination"}) {
            assertThat(summary.get("ledger").get(name + "Messages").asLong()).as(name).isZero();
        }
        assertThat(summary.get("health").get("cpuMicrosPerMessage").asDouble()).isEqualTo(31.256);
        assertThat(summary.get("versions").get("broker").asString()).isEqualTo("Artemis 2.55.0");
        assertThat(summary.get("exitCode").asInt()).isZero();
        assertThat(summary.get("drained").asBoolean()).isTrue();
        assertThat(summary.get("elapsedSeconds").asDouble()).isEqualTo(20.125);
    }

    @Test
    void keysOfTheMissingSideAreLeftOut() throws Exception {
        Path file = dir.resolve("run.jsonl");
        try (JsonReport report = JsonReport.open(file, Samples.CONSUMER)) {
            report.interval(Samples.interval(0));
            report.finished(Samples.success());
        }
        List<String> lines = Files.readAllLines(file);
        assertThat(MAPPER.readTree(lines.get(0)).propertyNames()).contains("received", "transferTime")
            .doesNotContain("sent", "delayed", "completed", "delaySendTime", "sendTime", "failedMessages");
        assertThat(MAPPER.readTree(lines.get(1)).propertyNames()).contains("totalReceived", "ledger")
            .doesNotContain("totalSent", "totalSendTime", "unconfirmedMessages");
    }

    @Test
    void theSummarySaysWhatTimesBetweenMachinesAreWorth() throws Exception {
        Path file = dir.resolve("run.jsonl");
        try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
            report.event(new Event(1, Event.Kind.NOTICE, new Finding.OneWayBound(20)));
            report.finished(Samples.success());
        }
        assertThat(MAPPER.readTree(Files.readString(file)).get("oneWayTimes").asString()).isEqualTo("judged");
    }

    @Test
    void everyLineIsOnTheDiskWhenTheCallReturns() throws Exception {
        Path file = dir.resolve("run.jsonl");
        try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
            for (int i = 0; i < 3; i++) {
                report.interval(Samples.interval(i));
                List<String> lines = Files.readAllLines(file);
                assertThat(lines).hasSize(i + 1).allSatisfy(line -> assertThat(MAPPER.readTree(line).isObject()).isTrue());
            }
        }
    }

    @Test
    void arrayIsCompleteAfterEveryInterval() throws Exception {
        Path file = dir.resolve("run.json");
        try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
            for (int i = 0; i < 3; i++) {
                report.interval(Samples.interval(i));
                assertThat(MAPPER.readTree(Files.readString(file)).size()).isEqualTo(i + 1);
            }
        }
        assertThat(MAPPER.readTree(Files.readString(file)).size()).isEqualTo(3);
    }

    @Test
    void runThatEndedBeforeItBeganLeavesAnEmptyArray() throws Exception {
        Path file = dir.resolve("run.json");
        JsonReport.open(file, Samples.CLIENT).close();
        assertThat(MAPPER.readTree(Files.readString(file)).size()).isZero();
    }

    @Test
    void rateThatWasNotKeptIsInTheSummary() throws Exception {
        Path file = dir.resolve("run.jsonl");
        try (JsonReport report = JsonReport.open(file, Samples.RATED)) {
            report.finished(Samples.paced(List.of(), new Schedule(100_000, 13_600, 1000, 859.5)));
        }
        JsonNode summary = MAPPER.readTree(Files.readString(file));
        assertThat(summary.get("result").asString()).isEqualTo("rate missed");
        assertThat(summary.get("exitCode").asInt()).isZero();
        JsonNode health = summary.get("health");
        assertThat(health.get("reachedPerSecond").asDouble()).isEqualTo(859.5);
        assertThat(health.get("askedPerSecond").asDouble()).isEqualTo(1000);
        assertThat(health.get("clockAndWakeMicros").asDouble()).isEqualTo(31.25);
        assertThat(health.get("busiestThread").asString()).isEqualTo("a-reader");
    }

    @Test
    void failureIsInTheSummary() throws Exception {
        Path file = dir.resolve("run.jsonl");
        try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
            report.finished(Samples.result(List.of("It \"broke\"."), null, Samples.empty(),
                new GeneratorVerdict.Doubtful(List.of(new Finding.CpuStolen(12.25)))));
        }
        JsonNode summary = MAPPER.readTree(Files.readString(file));
        assertThat(summary.get("result").asString()).isEqualTo("fail");
        assertThat(summary.get("exitCode").asInt()).isEqualTo(1);
        assertThat(summary.get("causes").get(0).asString()).isEqualTo("Connection lost: It \"broke\".");
        assertThat(summary.get("ledger").isNull()).isTrue();
        assertThat(summary.get("health").get("verdict").asString()).isEqualTo("doubtful");
        assertThat(summary.get("health").get("reasons").get(0).asString())
            .isEqualTo("a hypervisor took 12.3 % of the CPU time away: use a dedicated machine");
        JsonNode broken = summary.get("findings").get(0);
        assertThat(broken.get("kind").asString()).isEqualTo("broken");
        assertThat(broken.get("failure").asBoolean()).isTrue();
        assertThat(broken.get("sentence").asString()).isEqualTo("Connection lost: It \"broke\".");
        JsonNode stolen = summary.get("findings").get(1);
        assertThat(stolen.get("kind").asString()).isEqualTo("cpu-stolen");
        assertThat(stolen.get("failure").asBoolean()).isFalse();
        assertThat(stolen.get("percent").asDouble()).isEqualTo(12.25);
        assertThat(summary.get("totalSendTime").get("mean").asDouble()).isZero();
        assertThat(summary.get("totalSendTime").get("fewSamples")).hasSize(5);
        assertThat(summary.get("totalSendTime").get("count").asLong()).isZero();
    }

    @Test
    void aPhaseHasTheTimeOfItsDeliveries() throws Exception {
        Path file = dir.resolve("run.json");
        try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
            report.finished(Samples.success()
                .with(its -> its.phases = List.of(new PhaseResult("last", 10, Samples.counts(1000, 4000), 12.5, Map.of()))));
        }
        JsonNode phase = MAPPER.readTree(Files.readString(file)).findValue("phases").get(0);
        assertThat(phase.get("seconds").asDouble()).isEqualTo(10);
        assertThat(phase.get("receivingSeconds").asDouble()).isEqualTo(12.5);
    }

    @Test
    void numbersHaveAPointAndNoExponentInEveryLocale() throws Exception {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            Path file = dir.resolve("run.jsonl");
            try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
                report.interval(Samples.interval(0, false, 1000, Samples.same(20, 600_000_000_000L), Samples.empty()));
            }
            assertThat(Files.readString(file)).contains("\"count\":20", "\"max\":600").doesNotContainPattern("[0-9]E[0-9]");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void pathThatCannotBeWrittenIsRefusedAtOnce() {
        assertThatThrownBy(() -> JsonReport.open(dir, Samples.CLIENT)).isInstanceOf(UsageException.class)
            .hasMessage("--json " + dir + " is a directory; name a file.");
        Path orphan = dir.resolve("none/run.json");
        assertThatThrownBy(() -> JsonReport.open(orphan, Samples.CLIENT)).isInstanceOf(UsageException.class)
            .hasMessage("--json " + orphan + " cannot be written: there is no directory " + dir.resolve("none")
                + "; create it first.");
    }

    @Test
    void olderFileIsEmptied() throws Exception {
        Path file = dir.resolve("run.jsonl");
        Files.writeString(file, "old\n".repeat(1000));
        try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
            report.interval(Samples.interval(0));
        }
        assertThat(Files.readAllLines(file)).hasSize(1);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void fullDiskFailsTheIntervalOnceAndTheSummaryDoesNotHideIt() throws Exception {
        for (String name : List.of("run.json", "run.jsonl")) {
            Path file = Files.createSymbolicLink(dir.resolve(name), Path.of("/dev/full"));
            try (JsonReport report = JsonReport.open(file, Samples.CLIENT)) {
                assertThatThrownBy(() -> report.interval(Samples.interval(0))).isInstanceOf(IOException.class)
                    .hasMessageStartingWith("--json " + file + " could not be written: ").hasMessageContaining("space");
                report.finished(Samples.success());
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void fullDiskFailsASummaryThatIsTheFirstToBeWritten() throws Exception {
        try (JsonReport report = JsonReport.open(Path.of("/dev/full"), Samples.CLIENT)) {
            assertThatThrownBy(() -> report.finished(Samples.success())).isInstanceOf(IOException.class);
        }
    }
}
