package io.brokermeter.reports.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.AgentResult;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.FaultCourse;
import io.brokermeter.engine.recording.fault.FaultTimes;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Made;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.Samples;
import io.brokermeter.reports.json.ResultJson;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ConsoleReportTest {

    private static final ConsoleOptions PLAIN = new ConsoleOptions(false, false, false, StatusLine.NONE, 80);
    private static final ConsoleOptions LATENCY = new ConsoleOptions(true, false, false, StatusLine.NONE, 80);
    private static final ConsoleOptions SILENT = new ConsoleOptions(true, true, false, StatusLine.REDRAWN, 80);
    private static final ConsoleOptions TERMINAL = new ConsoleOptions(false, false, false, StatusLine.REDRAWN, 80);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void liveBlockHasTheLinesOfArtemis() throws Exception {
        console(PLAIN, Samples.CLIENT).interval(Samples.interval(0));
        assertThat(out()).isEqualTo("""

            --- warmup false
            --- sent:          7316 msg/sec
            --- blocked:       6632 msg/sec
            --- completed:     7320 msg/sec
            --- received:      7317 msg/sec
            """);
    }

    @Test
    void latencyLinesHaveTheColumnsOfArtemis() throws Exception {
        console(LATENCY, Samples.RATED).interval(Samples.interval(0));
        String columns = "mean:      1.50 us - 50.00%:      1.50 us - 90.00%:      1.50 us - 99.00%:      1.50 us"
            + " - 99.90%:      1.50 us - 99.99%:      1.50 us - max:         1.50 us\n";
        assertThat(out()).endsWith("--- received:      7317 msg/sec\n"
            + "--- send delay time: " + columns
            + "--- send ack time:   " + columns
            + "--- transfer time:   " + columns);
    }

    @Test
    void timesBetweenAgentsThatAreLeftOutAreNoNumbers() throws Exception {
        RunResult result =
            Samples.result(List.of(), Samples.ledger(), new Distribution(new Histogram(3), 0, 0), new GeneratorVerdict.Sound())
                .with(its -> its.agents = List.of(new AgentResult("a1", 1, 1, Counts.NONE.with(Count.SENT, 10).with(Count.RECEIVED, 10), 1,
                    1, 1, 1, 1, List.of(), 0, 50, 3, null)));
        console(PLAIN, Samples.CLIENT).finished(result);
        assertThat(out().lines().filter(line -> line.startsWith("--- aggregated transfer time:"))).singleElement().asString()
            .contains("mean:       n/a us", "max:          n/a us", "no samples").doesNotContain("0.00 us");
    }

    @Test
    void sendDelayIsShownOnlyWithARate() throws Exception {
        console(LATENCY, Samples.CLIENT).interval(Samples.interval(0));
        assertThat(out()).doesNotContain("send delay").contains("--- send ack time:", "--- transfer time:");
    }

    @Test
    void linesOfTheMissingSideAreLeftOut() throws Exception {
        console(LATENCY, Samples.PRODUCER).interval(Samples.interval(0));
        assertThat(out()).contains("--- sent:", "--- blocked:", "--- completed:", "--- send delay time:")
            .doesNotContain("received", "transfer");
        out.reset();
        console(LATENCY, Samples.CONSUMER).interval(Samples.interval(0));
        assertThat(out()).contains("--- received:", "--- transfer time:")
            .doesNotContain("sent", "blocked", "completed", "send");
    }

    @Test
    void summaryOfOneSideLeavesTheOtherOut() throws Exception {
        console(PLAIN, Samples.PRODUCER).finished(Samples.success());
        assertThat(out()).contains("total sent", "mean sent", "unconfirmed").doesNotContain("receive", "transfer", "lost");
        out.reset();
        console(PLAIN, Samples.CONSUMER).finished(Samples.success());
        assertThat(out()).contains("total received", "lost").doesNotContain("sent:", "send time", "failed", "unconfirmed");
    }

    @Test
    void ratesArePerSecondWhateverTheLengthOfTheInterval() throws Exception {
        console(PLAIN, Samples.CLIENT).interval(Samples.interval(0, true, 500, Samples.empty(), Samples.same(1, 1)));
        assertThat(out()).contains("--- warmup true\n--- sent:         14632 msg/sec\n");
    }

    @Test
    void percentilesWithoutEnoughSamplesAreNumbersAndNamedInALineOfOurOwn() throws Exception {
        console(LATENCY, Samples.CONSUMER).interval(Samples.interval(0, false, 1000, Samples.same(1000, 1500), Samples.empty()));
        assertThat(out()).endsWith("--- transfer time:   mean:      1.50 us - 50.00%:      1.50 us - 90.00%:      1.50 us"
            + " - 99.00%:      1.50 us - 99.90%:      1.50 us - 99.99%:      1.50 us - max:         1.50 us\n"
            + "--- few samples:    transfer 99.90% 99.99%\n");
    }

    @Test
    void distributionWithoutSamplesSaysSo() throws Exception {
        console(LATENCY, Samples.CONSUMER).interval(Samples.interval(0, false, 1000, Samples.empty(), Samples.empty()));
        assertThat(out()).endsWith("--- transfer time:   mean:      0.00 us - 50.00%:      0.00 us - 90.00%:      0.00 us"
            + " - 99.00%:      0.00 us - 99.90%:      0.00 us - 99.99%:      0.00 us - max:         0.00 us\n"
            + "--- few samples:    transfer (no samples)\n");
    }

    @Test
    void warmupIntervalShowsWarmupSamples() throws Exception {
        console(LATENCY, Samples.CONSUMER)
            .interval(Samples.interval(0, true, 1000, Samples.empty(), Samples.same(100_000, 1500)));
        assertThat(out()).contains("--- transfer time:   mean:      1.50 us");
    }

    @Test
    void summaryBeginsWithTheLinesOfArtemisAndAddsOurs() throws Exception {
        console(PLAIN, Samples.RATED).finished(Samples.success());
        String columns = "mean:      1.50 us - 50.00%:      1.50 us - 90.00%:      1.50 us - 99.00%:      1.50 us"
            + " - 99.90%:      1.50 us - 99.99%:      1.50 us - max:         1.50 us\n";
        assertThat(out()).isEqualTo("""

            --- SUMMARY
            --- result:              success
            --- total sent:            70194
            --- total blocked:         70194
            --- total completed:       70194
            --- total received:        70194
            """
            + "--- aggregated delay send time: " + columns
            + "--- aggregated send time:       " + columns
            + "--- aggregated transfer time:   " + columns
            + "--- aggregated response time:   " + columns
            + """
                --- failed:                    0
                --- unconfirmed:               0
                --- lost:                      0
                --- duplicated:                0 (0 flagged as redelivered)
                --- out of order:              0 (depth 0)
                --- corrupt:                   0
                --- foreign:                   0
                --- old:                       0
                --- mean sent:           3509.70 msg/sec
                --- mean received:       3509.00 msg/sec
                --- mean sent bytes:        3.59 MB/sec
                --- mean received bytes:        3.59 MB/sec
                --- elapsed:              20.125 s
                --- reconnects:                0
                --- cpu per message:       31.26 us
                --- verdict:               sound (nothing speaks against the figures)
                --- versions: tool 0.1.0, broker Artemis 2.55.0
                """);
    }

    @Test
    void rateThatWasNotKeptIsPartOfTheResultLine() throws Exception {
        console(PLAIN, Samples.RATED).finished(Samples.paced(List.of(), new Schedule(100_000, 100, 1000, 999)));
        assertThat(out()).contains("--- result:              success\n", "--- clock and wake-up of the generator: 31.25 us\n");
        console(PLAIN, Samples.RATED).finished(Samples.paced(List.of(), new Schedule(100_000, 13_600, 1000, 859.5)));
        assertThat(out()).contains("--- result:          rate missed (86.0 % of the asked rate: 859.50 of 1000.00 msg/sec)\n");
        console(PLAIN, Samples.RATED).finished(Samples.paced(List.of("It broke."), new Schedule(100_000, 86_500, 1000, 135)));
        assertThat(out()).contains("--- result:                 fail (13.5 % of the asked rate: 135.00 of 1000.00 msg/sec)\n");
    }

    @Test
    void failureTellsEveryCauseAndDoubt() throws Exception {
        LedgerReport ledger = new LedgerReport(Counts.NONE.with(Count.EXPECTED, 100).with(Count.LEDGER_RECEIVED, 98).with(Count.LOST, 5)
            .with(Count.LOST_UNCONFIRMED, 2).with(Count.DUPLICATES, 3).with(Count.REDELIVERED_DUPLICATES, 1).with(Count.OUT_OF_ORDER, 4)
            .with(Count.REORDER_DEPTH, 7).with(Count.CORRUPT, 1).with(Count.FOREIGN, 6).with(Count.OLD, 8), null);
        console(PLAIN, Samples.CLIENT).finished(Samples.result(List.of("5 frames were lost.", "The broker went away."),
            ledger, Samples.same(10, 1500), new GeneratorVerdict.Doubtful(List.of(new Finding.CpuStolen(12.2)))));
        assertThat(out()).contains("""
            --- result:                 fail
            """, """
            --- lost:                      5 (and 2 that were never confirmed)
            --- duplicated:                3 (1 flagged as redelivered)
            --- out of order:              4 (depth 7)
            --- corrupt:                   1
            --- foreign:                   6
            --- old:                       8
            """, """
            --- verdict:            doubtful
            --- doubt: a hypervisor took 12.2 % of the CPU time away: use a dedicated machine
            --- cause: Connection lost: 5 frames were lost.
            --- cause: Connection lost: The broker went away.
            """).doesNotContain("ledger:");
    }

    private static Scorecard eightInASecond() {
        FaultTimes first = Made.killed(its -> {
            its.fault = 1;
            its.rateBefore = 8;
        });
        return Made.card(first, its -> its.course = new FaultCourse(3, 0.1, List.of(), 2.6, 2.7));
    }

    @Test
    void aScorecardAloneIsFollowedByWhatMakesItDoubtful() throws Exception {
        Scorecard card = eightInASecond();
        GeneratorVerdict verdict = new GeneratorVerdict.Doubtful(List.of(
            new Finding.NotSentInTime(0.9, 180, 200, new Finding.Reason(Finding.Blame.SLOW_BROKER, 0.5, null)),
            new Finding.CpuStolen(12.2)));
        console(PLAIN.scored(true), Samples.CLIENT)
            .finished(Samples.result(List.of(), Samples.ledger(), Samples.same(10, 1500), verdict).with(its -> its.scorecard = card));
        assertThat(out()).contains("RECOVERED from 8/s")
            .endsWith("\ndoubt: a hypervisor took 12.2 % of the CPU time away: use a dedicated machine\n")
            .doesNotContain("in time", "SUMMARY");
    }

    /** As for any run on a screen, the output ends with the place of the files and the next commands. */
    @Test
    void aScorecardEndsWithWhereTheFilesAre() throws Exception {
        Scorecard card = eightInASecond();
        console(PLAIN.scored(true).on(new ConsoleOptions.Screen(new ScreenStyle(100, 40, false, false), "runs/one",
            List.of("brokermeter report runs/one", "brokermeter replay runs/one"))), Samples.CLIENT)
            .finished(
                Samples.result(List.of(), Samples.ledger(), Samples.same(10, 1500), new GeneratorVerdict.Sound())
                    .with(its -> its.scorecard = card));
        assertThat(out()).contains("RECOVERED from 8/s")
            .endsWith("\n\nfiles       runs/one\nnext        brokermeter report runs/one   brokermeter replay runs/one\n");
    }

    @Test
    void theClassesOfMessagesThatDidNotComeAreToldApart() throws Exception {
        LedgerReport ledger = new LedgerReport(Counts.NONE.with(Count.EXPECTED, 1000).with(Count.LEDGER_RECEIVED, 900).with(Count.LOST, 1)
            .with(Count.LEFT, 40).with(Count.UNTAKEN, 50).with(Count.UNDELIVERED, 9).with(Count.BEFORE_SUBSCRIPTION, 6)
            .with(Count.LOST_UNCONFIRMED, 2).with(Count.UNCONFIRMED_DELIVERED, 3).with(Count.FAILED_DELIVERED, 4)
            .with(Count.ROLLED_BACK_DELIVERED, 5).with(Count.UNSELECTED, 8).with(Count.OTHER_DESTINATION, 7), null);
        console(PLAIN, Samples.CLIENT).finished(Samples.result(List.of(), ledger, Samples.empty(), new GeneratorVerdict.Sound()));
        assertThat(out()).contains("""
            (4 of them delivered all the same)
            """, """
            (3 of them delivered all the same)
            """, """
            --- lost:                      1 (and 2 that were never confirmed)
            --- left:                     40 (in the broker when draining ended)
            --- not in time:               9 (not delivered when draining ended; the broker may have them)
            --- not taken:                50 (the consumers had as many as they were to take)
            --- not due:                   6 (sent before the subscription)
            --- unselected:                8 (delivered against the selector)
            --- other destination:           7 (sent to other destinations of this run)
            """);
    }

    @Test
    void ledgerThatDoesNotCloseIsShownWithItsTerms() throws Exception {
        console(PLAIN, Samples.CLIENT).finished(Samples.result(List.of(),
            new LedgerReport(
                Counts.NONE.with(Count.EXPECTED, 100).with(Count.LEDGER_RECEIVED, 98).with(Count.LOST, 1).with(Count.OTHER_DESTINATION, 2),
                null),
            Samples.empty(), new GeneratorVerdict.Sound()));
        assertThat(out()).contains(
            "--- ledger:                 open (100 expected is not 98 received - 0 duplicated + 1 lost - 2 other destination)\n");
    }

    @Test
    void runWithoutALedgerSaysSo() throws Exception {
        console(PLAIN, Samples.CLIENT).finished(Samples.result(List.of(), null, Samples.empty(), new GeneratorVerdict.Sound()));
        assertThat(out()).contains("--- ledger:             not kept\n").doesNotContain("--- lost:");
    }

    @Test
    void samplesThatDidNotFitAreCounted() throws Exception {
        Distribution d = new Distribution(Samples.same(10, 1500).histogram(), 3, 2);
        RunResult r = Samples.success();
        RunResult odd = r.with(its -> {
            its.signal = 2;
            its.set(Count.SENT, 1);
            its.set(Count.BLOCKED, 1);
            its.set(Count.COMPLETED, 1);
            its.set(Count.RECEIVED, 1);
            its.measured = Map.of(Metric.TRANSFER, d);
            its.part = MeasuredPart.NONE;
            its.receivingSeconds = 0;
        });
        console(PLAIN, Samples.CLIENT).finished(odd);
        assertThat(out()).contains("""
            --- below zero:                3 (transfer times, left out)
            --- above range:               2 (transfer times, counted at its upper end)
            """, "--- ended by:             SIGINT\n", "--- mean sent:               n/a msg/sec\n");
    }

    @Test
    void whatWasDueInTheWarmUpIsSaidAndHasTimes() throws Exception {
        RunResult r = Samples.success();
        Map<Metric, Distribution> late = Samples.all(Samples.same(10_000, 2500));
        RunResult overdue = r.with(its -> {
            its.set(Count.BLOCKED, 0);
            its.measured = Samples.all(Samples.empty());
            its.part = MeasuredPart.of(span -> {
                span.seconds = 10;
                span.set(Count.SENT, 500);
                span.set(Count.RECEIVED, 480);
                span.receivingSeconds = 10;
                span.costMessages = 500;
                span.costSeconds = 10;
                span.overdueSent = 400;
                span.overdueReceived = 380;
                span.times = late;
            });
            its.receivingSeconds = 0;
        });
        console(PLAIN, Samples.CLIENT).finished(overdue);
        assertThat(out()).contains("--- overdue:                 400 (of 500 sent after the warm-up were due in it; the times above leave "
            + "them out, those below do not)\n", "--- with overdue send time:       mean:      2.50 us", "no samples");
        console(PLAIN, Samples.CLIENT).finished(r);
        assertThat(out().split("--- overdue:")).as("said once").hasSize(2);
    }

    /** Even if only deliveries are overdue, one message may be due before the end of the warm-up and sent after it. */
    @Test
    void whatIsOverdueIsSaidOfTheSideThatIsBehind() throws Exception {
        RunResult behind = Samples.success().with(its -> its.part = MeasuredPart.of(span -> {
            span.seconds = 10;
            span.set(Count.SENT, 10_000);
            span.set(Count.RECEIVED, 9_000);
            span.receivingSeconds = 10;
            span.overdueSent = 1;
            span.overdueReceived = 4_000;
        }));
        console(PLAIN, Samples.CLIENT).finished(behind);
        assertThat(out()).contains("--- overdue:                4000 (of 9000 received after the warm-up were due in it");
        assertThat(new ResultWords(ResultJson.stored(behind, Samples.CLIENT)).reasons()).singleElement().asString()
            .startsWith("4,000 messages after the warm-up");
    }

    /** Scripts find a line by its beginning, so the text of a broker must not begin a line of its own. */
    @Test
    void whatABrokerSaysInSeveralLinesIsPrintedOnOne() throws Exception {
        RunResult broken = Samples.result(List.of("it said: no\r\n--- lost: 0"), Samples.ledger(), Samples.same(100_000, 1500),
            new GeneratorVerdict.Sound());
        ConsoleReport console = console(PLAIN, Samples.CLIENT);
        console.event(new Event(1, Event.Kind.ERROR, broken.failures().getFirst()));
        console.finished(broken);
        assertThat(out()).contains("--- cause: Connection lost: it said: no --- lost: 0\n");
        assertThat(err()).contains("it said: no --- lost: 0");
    }

    @Test
    void aFigureOfTheBrokerThatIsNotKnownIsNoNumber() throws Exception {
        console(new ConsoleOptions(false, false, true, StatusLine.NONE, 80), Samples.CLIENT)
            .finished(Samples.with(BrokerFigures.of(its -> {
                its.observed = "java (pid 4711)";
                its.voluntarySwitches = 30_000;
                its.involuntarySwitches = -1;
                its.gcCount = 2;
                its.gcMillis = -1;
            })));
        assertThat(out()).contains("(and n/a involuntary)", "(n/a ms)").doesNotContain("-1");
    }

    private static GroupResult group(String name, String protocol, long sent, long received, Map<Metric, Distribution> times) {
        return GroupResult.of(its -> {
            its.name = name;
            its.producing = sent > 0;
            its.protocol = protocol;
            its.set(Count.SENT, sent);
            its.set(Count.COMPLETED, sent);
            its.set(Count.RECEIVED, received);
            its.messageSeconds = 10;
            its.measured = times;
        });
    }

    @Test
    void groupsAndPhasesHaveALineEach() throws Exception {
        RunResult r = Samples.success();
        Map<Metric, Distribution> times = Samples.all(Samples.same(10_000, 1500));
        RunResult parts = r.with(its -> {
            its.set(Count.SENT, 300);
            its.set(Count.BLOCKED, 0);
            its.set(Count.COMPLETED, 300);
            its.set(Count.RECEIVED, 300);
            its.part = MeasuredPart.of(span -> {
                span.seconds = 10;
                span.set(Count.SENT, 300);
                span.set(Count.RECEIVED, 300);
                span.receivingSeconds = 10;
                span.costMessages = 300;
                span.costSeconds = 10;
            });
            its.failureCauses = Map.of("full", 3L);
            its.set(Count.ROLLED_BACK, 7);
            its.set(Count.REQUEUED, 5);
            its.set(Count.REJECTED, 2);
            its.set(Count.UNANSWERED, 1);
            its.receivingSeconds = 9;
            its.groups = List.of(group("orders", "CORE", 200, 0, times), group("audit", "AMQP", 100, 0, times),
                group("all", "CORE", 0, 301, times));
            its.phases = List.of(new PhaseResult("low", 10, Samples.counts(300, 300), 10, times));
        });
        console(PLAIN, Samples.CLIENT).finished(parts);
        assertThat(out()).contains("""
            --- group orders: CORE, sent 200, 20.00 msg/sec, send p50 1.50 us p99 1.50 us
            --- group audit: AMQP, sent 100, 10.00 msg/sec, send p50 1.50 us p99 1.50 us
            --- group all: CORE, received 301, 30.00 msg/sec, transfer p50 1.50 us p99 1.50 us
            --- phase low: 10.0 s, sent 300, received 300, 30.00 msg/sec, send p50 1.50 us p99 1.50 us, response p50 1.50 us p99 1.50 us
            """, "--- rolled back:               7\n", "--- given back:                5\n", "--- rejected:                  2\n",
            "--- unanswered:                1\n");
    }

    @Test
    void numbersHaveAPointInEveryLocale() throws Exception {
        Locale before = Locale.getDefault();
        try {
            for (String tag : List.of("de-DE", "ar-EG-u-nu-arab", "hi-IN-u-nu-deva")) {
                Locale.setDefault(Locale.forLanguageTag(tag));
                out.reset();
                ConsoleReport console = console(LATENCY, Samples.RATED);
                console.interval(Samples.interval(0));
                console.finished(Samples.success());
                assertThat(out()).contains("--- sent:          7316 msg/sec", "mean:      1.50 us - 50.00%:      1.50 us",
                    "--- elapsed:              20.125 s").doesNotContain("1,50");
            }
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void silentPrintsTheSummaryAndTroubleOnly() throws Exception {
        ConsoleReport console = console(SILENT, Samples.CLIENT);
        console.interval(Samples.interval(0));
        console.event(new Event(0, Event.Kind.NOTICE, new Finding.Said("Confirmations are on.")));
        assertThat(out()).isEmpty();
        assertThat(err()).isEmpty();
        console.event(new Event(3_250_000_000L, Event.Kind.STALL, new Finding.Said("No progress for 5 s.")));
        console.finished(Samples.success());
        assertThat(err()).isEqualTo("stall (3.3 s): No progress for 5 s." + System.lineSeparator());
        assertThat(out()).startsWith("\n--- SUMMARY\n");
    }

    @Test
    void phasesAndTheGeneratorsFiguresNeedVerbose() throws Exception {
        ConsoleReport quiet = console(PLAIN, Samples.CLIENT);
        quiet.event(new Event(0, Event.Kind.PHASE, new Finding.PhaseBegins("burst")));
        quiet.finished(Samples.success());
        assertThat(err()).isEmpty();
        assertThat(out()).doesNotContain("gc pauses");
        ConsoleReport verbose = console(new ConsoleOptions(false, false, true, StatusLine.NONE, 80), Samples.CLIENT);
        verbose.event(new Event(0, Event.Kind.PHASE, new Finding.PhaseBegins("burst")));
        verbose.finished(Samples.success());
        assertThat(err()).startsWith("phase (0.0 s): Phase burst begins");
        assertThat(out()).contains("--- gc pauses:                 3 (12 ms, longest 6 ms)\n",
            "--- peak memory:           100.0 MiB\n");
    }

    @Test
    void statusLineStandsBelowTheNewestBlockAndIsClearedBeforeTheNext() throws Exception {
        ConsoleReport console = console(TERMINAL, Samples.CLIENT);
        console.interval(Samples.interval(9));
        String status = "10 s of 20 s (50%), 7316 msg/s, response p99 0.00 ms";
        assertThat(out()).endsWith("--- received:      7317 msg/sec\n\r" + status);
        out.reset();
        console.finished(Samples.success());
        assertThat(out()).startsWith("\r" + " ".repeat(status.length()) + "\r\n--- SUMMARY\n");
    }

    @Test
    void eventDoesNotTearTheStatusLine() throws Exception {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(both, false, StandardCharsets.UTF_8);
        ConsoleReport console = new ConsoleReport(stream, stream, TERMINAL, Samples.CONSUMER);
        console.interval(Samples.interval(0));
        both.reset();
        console.event(new Event(1_000_000_000L, Event.Kind.WARNING, new Finding.Said("Late.")));
        String status = "1 s, 7317 msg/s, response p99 0.00 ms";
        assertThat(both.toString(StandardCharsets.UTF_8)).isEqualTo("\r" + " ".repeat(status.length()) + "\r"
            + "warning (1.0 s): Late." + System.lineSeparator() + "\r" + status);
    }

    @Test
    void statusLineShowsTheMessageCountAndFitsTheTerminal() throws Exception {
        RunShape counted = new RunShape(true, true, false, Duration.ZERO, 10_000);
        console(TERMINAL, counted).interval(Samples.interval(0));
        assertThat(out()).endsWith("\r1 s, 7316 of 10000 messages, 7316 msg/s, response p99 0.00 ms");
        out.reset();
        console(new ConsoleOptions(false, false, false, StatusLine.REDRAWN, 20), counted).interval(Samples.interval(0));
        assertThat(out()).endsWith("\r1 s, 7316 of 10000 ");
    }

    @Test
    void aTerminalThatCannotGoBackGetsALineEveryTenSeconds() throws Exception {
        ConsoleOptions dumb = new ConsoleOptions(false, false, false, StatusLine.REPEATED, 80)
            .on(new ConsoleOptions.Screen(ScreenStyle.PLAIN, "", List.of()));
        ConsoleReport console = console(dumb, Samples.CLIENT);
        for (int i = 0; i < 20; i++) {
            console.interval(Samples.interval(i));
        }
        console.event(new Event(20_000_000_000L, Event.Kind.WARNING, new Finding.Said("Late.")));
        console.close();
        assertThat(out().lines()).containsExactly("10 s of 20 s  7,316/s  7.49 MB/s  response p99 1.50 us",
            "20 s of 20 s  7,316/s  7.49 MB/s  response p99 1.50 us");
        assertThat(out()).doesNotContain("\r", "\033");
    }

    @Test
    void whereThereAreBlocksNoLineIsRepeated() throws Exception {
        ConsoleReport console = console(new ConsoleOptions(false, false, false, StatusLine.REPEATED, 80), Samples.CLIENT);
        console.interval(Samples.interval(19));
        assertThat(out()).doesNotContain("20 s of 20 s", "\r").contains("--- received:");
    }

    @Test
    void outputThatIsNoTerminalHasNoCarriageReturn() throws Exception {
        ConsoleReport console = console(PLAIN, Samples.CLIENT);
        console.interval(Samples.interval(0));
        console.finished(Samples.success());
        console.close();
        assertThat(out()).doesNotContain("\r");
    }

    @Test
    void brokenPipeEndsTheRunAndItsCausesGoToStandardError() throws Exception {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        ConsoleReport console = new ConsoleReport(new PrintStream(closed, false, StandardCharsets.UTF_8), stream(err),
            TERMINAL, Samples.CLIENT);
        Interval interval = Samples.interval(0);
        assertThatThrownBy(() -> console.interval(interval)).isInstanceOf(IOException.class)
            .hasMessageContaining("standard output cannot be written any more");
        console.interval(interval);
        console.event(new Event(0, Event.Kind.ERROR, new Finding.Broken(Finding.Step.CONNECTION, "", "It was told.")));
        console.finished(Samples.result(List.of("It was told.", "It was not told."), null, Samples.empty(), new GeneratorVerdict.Sound()));
        console.close();
        assertThat(err()).isEqualTo("error (0.0 s): Connection lost: It was told." + System.lineSeparator()
            + "error: Connection lost: It was not told." + System.lineSeparator());
    }

    private ConsoleReport console(ConsoleOptions options, RunShape shape) {
        return new ConsoleReport(stream(out), stream(err), options, shape);
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
