package io.brokermeter.trials.selftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HostEffects;
import io.brokermeter.engine.health.OwnStalls;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.spi.parameter.Setting;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a run says that its machine is worse than it was in the self-test. */
class BaselineTest {

    private static final Baseline THEN = new Baseline(Instant.parse("2026-11-29T10:00:00Z"), 0.3, 2, 22);

    @TempDir
    Path directory;

    private static RunResult run(int stalls, double ownSeconds, double reading) {
        Histogram stops = Distribution.empty();
        for (int i = 0; i < stalls; i++) {
            stops.recordValue(4_000_000);
        }
        return RunResult.of(its -> {
            its.part = MeasuredPart.of(part -> part.costSeconds = 20);
            its.elapsed = Duration.ofSeconds(21);
            its.broker = BrokerFigures.of(broker -> {
                broker.seconds = 20;
                broker.localCpuSeconds = 0.1;
            });
            its.health = Health.of(health -> {
                health.cpuSeconds = ownSeconds;
                health.machineBusyPercent = 80;
                health.stalls = OwnStalls.of(stops, Distribution.empty(), 1_000, 20);
                health.host = new HostEffects(-1, "", 0, 0, "", reading, -1);
            });
        });
    }

    @Test
    void onlyClearEvidenceIsSaid() {
        assertThat(THEN.worse(run(400, 0.5, 25))).singleElement().isInstanceOfSatisfying(Finding.WakesLater.class, found -> {
            assertThat(found.perSecond()).isEqualTo(20);
            assertThat(found.thenPerSecond()).isEqualTo(0.3);
            assertThat(new Sentences(Setting::key).of(found)).contains("self-test of 2026-11-29", "20 times a second, 0.3 times then",
                "other programs use");
        });
        assertThat(THEN.worse(run(30, 0.5, 25))).as("five times as often").isEmpty();
        assertThat(THEN.worse(run(400, 100 * Runtime.getRuntime().availableProcessors(), 25))).as("a run that uses the machine itself")
            .isEmpty();
        assertThat(THEN.worse(run(400, 0.5, 25).with(its -> its.broker = null))).as("others, among them perhaps the broker").isEmpty();
        assertThat(THEN.worse(run(0, 0.5, 900))).singleElement().isInstanceOfSatisfying(Finding.ClockSlower.class,
            found -> assertThat(new Sentences(Setting::key).of(found)).contains("takes 900 ns, 22.0 ns then"));
        assertThat(THEN.worse(run(0, 0.5, -1))).as("unknown").isEmpty();
        assertThat(THEN.worse(RunResult.of(_ -> {}))).as("a run without a measured part").isEmpty();
    }

    @Test
    void whatWasKeptIsReadAgainAndTold() throws Exception {
        Map<String, String> environment = Map.of("XDG_STATE_HOME", directory.toString());
        assertThat(Baseline.kept(environment)).isNull();
        Path file = Baseline.keep(new SelfTestReport(List.of(), EnvironmentDocument.UNKNOWN, THEN, 58), environment);
        assertThat(Baseline.kept(environment)).isEqualTo(THEN);
        assertThat(file.getParent()).isDirectoryContaining(path -> path.equals(file));

        List<Event> events = new ArrayList<>();
        RunObserver observer = new RunObserver() {
            @Override
            public void event(Event event) {
                events.add(event);
            }
        };
        Baseline.telling(observer, environment).finished(run(400, 0.5, 25));
        assertThat(events).singleElement().satisfies(event -> assertThat(event.kind()).isEqualTo(Event.Kind.NOTICE));

        Files.writeString(file, "{\"baseline\": {\"time\": \"yesterday\"}}");
        Baseline.telling(observer, environment).finished(run(400, 0.5, 25));
        assertThat(events).as("a file that cannot be read is none").hasSize(1);
    }
}
