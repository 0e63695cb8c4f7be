package io.brokermeter.reports.screen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.Samples;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.Thresholds;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.json.ResultJson;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Summary of a run on one screen of 80 columns and 24 lines, including the prompt. */
class ScreenSummaryTest {

    private static final String FILES = "~/.local/state/brokermeter/runs/20260102T030405.250Z-client";
    private static final List<String> NEXT = List.of("brokermeter replay last");

    private static String screen(StoredResult result) {
        return ScreenSummary.text(result, ScreenStyle.PLAIN, FILES, NEXT);
    }

    private static String screen(RunResult result, RunShape shape) {
        return screen(ResultJson.stored(result, shape));
    }

    private static void assertFits(String screen) {
        assertThat(screen).endsWith("\n");
        assertThat(screen.lines().toList()).hasSizeLessThanOrEqualTo(23)
            .allSatisfy(line -> assertThat(line.length()).as(line).isLessThan(80));
    }

    private static StoredResult with(RunResult result, RunShape shape, Map<String, @Nullable Object> more) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>(JsonText.read(ResultJson.text(result, shape, null)));
        values.putAll(more);
        return StoredResult.of(values);
    }

    @Test
    void aSoundRunSaysWhatWasMeasuredItsVerdictItsFiguresAndWhereToGoOn() {
        String screen =
            screen(with(Samples.with(Samples.figures()), Samples.CLIENT, Map.of("what", "1 producer, 1 consumer, queue://TEST")));
        assertFits(screen);
        assertThat(screen).isEqualTo("""
            Artemis 2.55.0: 1 producer, 1 consumer, queue://TEST

            PASSED: nothing speaks against the figures

                               p50       p90       p99     p99.9       max      samples
            response       1.50 us   1.50 us   1.50 us   1.50 us   1.50 us      100,000
            transfer       1.50 us   1.50 us   1.50 us   1.50 us   1.50 us      100,000
            send ack       1.50 us   1.50 us   1.50 us   1.50 us   1.50 us      100,000

            sent        70,194, 3,510/s, 3.59 MB/s
            received    70,194 of 70,194, 3,509/s, 3.59 MB/s
            ledger      every message once, in order and unchanged.

                               CPU   at most  a message    memory
            generator         25 %              31.3 us   100 MiB
            broker          17.5 %    85.3 %    50.0 us   500 MiB

            files       ~/.local/state/brokermeter/runs/20260102T030405.250Z-client
            next        brokermeter replay last
            """);
    }

    @Test
    void aFailedRunSaysWhyAndTellsOfWhatIsNotZero() {
        LedgerReport ledger = new LedgerReport(Counts.NONE.with(Count.EXPECTED, 70194).with(Count.LEDGER_RECEIVED, 70100)
            .with(Count.LOST, 94).with(Count.OUT_OF_ORDER, 12).with(Count.OTHER_DESTINATION, 5), null);
        String screen =
            screen(Samples.result(List.of("94 messages were lost"), ledger, Samples.same(100, 1500), new GeneratorVerdict.Sound()),
                Samples.CLIENT);
        assertFits(screen);
        assertThat(screen).contains("FAILED\n- Connection lost: 94 messages were lost\n", "94 lost", "5 from other destinations")
            .doesNotContain("every message once");
        assertThat(screen).contains("n/a");
    }

    @Test
    void reasonsThatAreTooManyForTheScreenAreCounted() {
        List<Finding.Doubt> doubts = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            doubts.add(new Finding.ClockCoarse("clock-" + i + " of a machine with a long name"));
        }
        String screen =
            screen(Samples.result(List.of(), Samples.ledger(), Samples.same(100_000, 1500), new GeneratorVerdict.Doubtful(doubts)),
                Samples.CLIENT);
        assertFits(screen);
        assertThat(screen).startsWith("Artemis 2.55.0\nPASSED, BUT DOUBTFUL\n").containsPattern("- and \\d+ more in result.json\n");
    }

    @Test
    void oneLongReasonIsCutWhereTheScreenEnds() {
        String cause = "a reason ".repeat(200).strip();
        String screen = screen(Samples.result(List.of(cause, "another"), Samples.ledger(), Samples.same(100_000, 1500),
            new GeneratorVerdict.Sound()), Samples.CLIENT);
        assertFits(screen);
        assertThat(screen).contains(" ...\n- and 1 more in result.json\n");
    }

    @Test
    void aRunThatOnlySendsHasNoLinesOfDeliveries() {
        String screen =
            screen(Samples.result(List.of(), null, Samples.same(100_000, 1500), new GeneratorVerdict.Sound()), Samples.PRODUCER);
        assertFits(screen);
        assertThat(screen).doesNotContain("\nreceived").contains("every send was confirmed; nothing was received here");
    }

    @Test
    void aRunThatOnlyReceivesHasNoLinesOfSends() {
        String screen = screen(Samples.success(), Samples.CONSUMER);
        assertFits(screen);
        assertThat(screen).doesNotContain("sent  ").contains("received    70,194");
    }

    @Test
    void aThresholdThatWasMissedIsTheVerdict() {
        Threshold missed = Threshold.parse("response.p99 < 1us");
        Threshold kept = Threshold.parse("lost == 0");
        RunResult result =
            Samples.success().with(its -> its.thresholds = List.of(new ThresholdResult(missed, 1.5, 100_000, false, true, false),
                new ThresholdResult(kept, 0, -1, true, true, false)));
        String screen = screen(result, Samples.CLIENT);
        assertFits(screen);
        assertThat(screen).contains("THRESHOLD MISSED\n- Not kept: response.p99 < 1us: 1.50 us\n", "thresholds  1 of 2 kept\n");
    }

    /** Rounded to three digits, 10.004 ms would equal the limit. */
    @Test
    void aThresholdThatWasMissedByLittleDoesNotReadLikeOneThatWasKept() {
        Threshold time = Threshold.parse("response.p99 < 10ms");
        Threshold rate = Threshold.parse("sent.rate >= 1000/s");
        assertThat(Thresholds.sentence(new ThresholdResult(time, 10_004, 100_000, false, true, false)))
            .isEqualTo("response.p99 < 10ms: 10004 us");
        assertThat(Thresholds.sentence(new ThresholdResult(rate, 999.7, -1, false, true, false)))
            .isEqualTo("sent.rate >= 1000/s: 999.7 msg/s");
        assertThat(Thresholds.sentence(new ThresholdResult(time, 10_000, 100_000, false, true, false)))
            .isEqualTo("response.p99 < 10ms: 10.0 ms");
        assertThat(new Sentences(Enum::name).of(new Finding.ThresholdMissed(rate.text(), 999.7, rate.figure().unit())))
            .endsWith("and it is 999.7 msg/s");
    }

    @Test
    void aRunThatWasInterruptedSaysHowFarItCame() {
        String screen = screen(with(Samples.success(), Samples.CLIENT, Map.of("signal", 2L, "drained", false)));
        assertFits(screen);
        assertThat(screen).contains("INTERRUPTED\n- Ended by Ctrl-C after 20.1 s, before draining was over");
    }

    @Test
    void coloursComeOnlyWhereTheyAre() {
        StoredResult result = ResultJson.stored(Samples.success(), Samples.CLIENT);
        assertThat(ScreenSummary.text(result, new ScreenStyle(80, 24, true, true), FILES, NEXT)).contains("\033[1;32mPASSED\033[0m:");
        assertThat(screen(result)).doesNotContain("\033");
    }

    @Test
    void aNarrowTerminalGetsShorterLinesOfWords() {
        String screen = ScreenSummary.text(with(Samples.success(), Samples.CLIENT, Map.of("what", "a word ".repeat(30))),
            new ScreenStyle(60, 40, false, false), "", List.of());
        assertThat(screen.lines().filter(line -> line.contains("word"))).hasSizeGreaterThan(2)
            .allSatisfy(line -> assertThat(line).hasSizeLessThan(60));
        assertThat(screen).doesNotContain("files");
    }

    @Test
    void phasesAreLinesAsFarAsThereIsRoom() {
        List<Map<String, Object>> phases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            phases.add(Map.of("name", "p" + i, "seconds", 10.0, "sent", 1000L, "received", 990L, "times",
                Map.of("response", Map.of("p50Micros", 900.0, "p99Micros", 1500.0, "count", 990L))));
        }
        String few = screen(with(Samples.success(), Samples.CLIENT, Map.of("phases", phases.subList(0, 2))));
        assertFits(few);
        assertThat(few).contains("phase p1: 10.0 s, sent 100/s, received 99/s, response p50 900 us p99 1.50 ms");
        String many = screen(with(Samples.success(), Samples.CLIENT, Map.of("phases", phases)));
        assertFits(many);
        assertThat(many).containsPattern("and \\d+ more in result.json");
    }

    /** Deliveries during the drain count for the last phase, and so does the time of the drain. */
    @Test
    void whatWasReceivedInThePhasesIsDividedByTheTimeUpToTheLastDelivery() {
        RunResult result = Samples.success().with(its -> its.phases = List.of(
            new PhaseResult("burst", 10, Samples.counts(6000, 3000), 10, Map.of()),
            new PhaseResult("after", 10, Samples.counts(1000, 4000), 12.5, Map.of()),
            new PhaseResult("never", 0, Samples.counts(0, 0), 0, Map.of())));
        assertThat(screen(result, Samples.CLIENT)).contains("phase burst: 10.0 s, sent 600/s, received 300/s\n",
            "phase after: 10.0 s, sent 100/s, received 320/s\n", "phase never: 0 us\n");
    }
}
