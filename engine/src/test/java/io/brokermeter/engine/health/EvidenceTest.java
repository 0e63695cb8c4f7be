package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.brokermeter.engine.finding.Finding;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is concluded from what was seen: one disturbance each, and the sentence that names it. */
class EvidenceTest {

    private static final ThreadUse RESTED = new ThreadUse(0.01, "a-reader", 0.2);
    private static final MachineClock FAST = new MachineClock("tsc", 25);

    private double cpuSeconds = 2;
    private double busyPercent = 40;
    private double stealPercent;
    private long gcMillis = 20;
    private ThreadUse threads = RESTED;
    private ControlGroup.Throttle throttle = ControlGroup.Throttle.NONE;
    private final Histogram stops = histogram();
    private MachineClock clock = FAST;
    private Schedule schedule = new Schedule(10_000, 0, 1000);
    private double windowShare;
    private double restShare;
    private final Histogram lateness = histogram();
    private final Histogram sendDelay = histogram();
    private Histogram response = times(10_000, 2);
    private @Nullable Histogram cold;
    private long most;
    private double brokerCpu = Double.NaN;
    private String slackRefused = "";

    private List<String> doubts() {
        return Finding.sentences(new Evidence(10, 2, cpuSeconds, busyPercent, stealPercent, gcMillis, threads, throttle, stops, clock,
                new LoadFigures(10_000, schedule, windowShare, restShare, lateness, sendDelay, response, cold, most, brokerCpu, false,
                        slackRefused)).doubts());
    }

    private String doubt() {
        List<String> doubts = doubts();
        assertThat(doubts).isNotEmpty();
        return doubts.getFirst();
    }

    private void miss(double reached, double full) {
        schedule = new Schedule(10_000, Math.round(10_000 * (1 - reached)), 1000);
        windowShare = full;
    }

    private void unscheduled() {
        schedule = Schedule.NONE;
        most = 100;
    }

    @Test
    void aQuietRunIsSound() {
        assertThat(doubts()).isEmpty();
        unscheduled();
        assertThat(doubts()).isEmpty();
    }

    @Test
    void aSlowBrokerIsNamedWhenNothingElseExplainsIt() {
        miss(0.135, 0.9);
        assertThat(doubt()).isEqualTo("only 13.5 % of the scheduled messages were sent in time (135.00 of 1000.00 msg/sec), because the "
                + "broker confirmed too slowly for --max-pending: raise it, or lower --rate");
    }

    @Test
    void aGeneratorInItsOwnCollectorIsTheReasonThoughTheWindowsWereFull() {
        miss(0.6, 0.7);
        gcMillis = 3_860;
        assertThat(doubt()).contains("because the generator spent 39 % of the time in its own garbage collection").doesNotContain("broker");
    }

    @Test
    void aLittleCollectionIsNotTheReasonForMuchThatIsMissing() {
        miss(0.135, 0.9);
        gcMillis = 600;
        assertThat(doubt()).contains("because the broker confirmed too slowly");
        assertThat(doubts()).anyMatch(doubt -> doubt.startsWith("garbage collection stopped the generator for 6.0 % of the time"));
    }

    /** A generator pinned to one of two processors, beside a program that burns it, and a broker with nothing to do. */
    @Test
    void aGeneratorThatWaitsForAProcessorIsTheReasonThoughTheWindowsWereFull() {
        miss(0.4, 0.9);
        threads = new ThreadUse(0.6, "brokermeter-sen", 0.3);
        busyPercent = 60;
        brokerCpu = 0.4;
        assertThat(doubt()).contains("because threads of the generator that were ready to run waited for a processor, altogether 60 % of "
                + "the time (the machine's processors were 60 % busy: the generator ").contains("the broker ").contains("others ")
                .doesNotContain("confirmed");
    }

    @Test
    void aHypervisorAndAControlGroupAreTheReason() {
        miss(0.5, 0.8);
        stealPercent = 30;
        assertThat(doubt()).contains("because a hypervisor took 30 % of the CPU time away");
        throttle = new ControlGroup.Throttle(100, 60, 0.4);
        assertThat(doubt()).contains("because the CPU limit of the generator's control group stopped it for 40 % of the time");
        assertThat(doubts()).anyMatch(doubt -> doubt.contains("(in 60 of 100 periods): raise the limit"));
    }

    @Test
    void aThinkTimeIsNotBlamedOnTheBroker() {
        miss(0.08, 0.02);
        restShare = 0.9;
        assertThat(doubt()).contains("because the producers rested, in their --think-time").doesNotContain("broker");
    }

    @Test
    void sendingThreadsThatHaveNoTimeToWaitAreTheReason() {
        miss(0.8, 0);
        assertThat(doubt()).contains("because the sending threads could not keep up");
    }

    @Test
    void aMedianSendDelayOfHalfASecondIsADoubt() {
        windowShare = 0.9;
        sendDelay.recordValueWithCount(500_000_000, 10_000);
        response = times(10_000, 520);
        assertThat(doubt()).startsWith("half of the messages were sent more than 5").contains("because the broker confirmed too slowly");
        assertThat(doubts()).hasSize(1);
    }

    @Test
    void busyCoresAreADoubtWithoutAScheduleToo() {
        unscheduled();
        busyPercent = 100;
        cpuSeconds = 1;
        brokerCpu = 2;
        assertThat(doubt()).startsWith("all cores of this machine were busy (the machine's processors were 100 % busy: the generator ")
                .endsWith("run the broker elsewhere");
    }

    @Test
    void aStopSaysFromWhichPercentileOnItCounts() {
        stops.recordValueWithCount(20_000, 1_860);
        stops.recordValue(700_000_000);
        // What a constant rate makes of it: 7 % of the messages were due in the stop.
        for (int i = 0; i < 700; i++) {
            response.recordValue((i + 1) * 1_000_000L);
        }
        assertThat(doubt()).contains("as long as 700 ms (0.70 s of 10.0 s altogether): percentiles from p93 on may be the machine's");
    }

    @Test
    void aStopWithoutAScheduleConcernsOnlyWhatWasInFlight() {
        unscheduled();
        stops.recordValueWithCount(20_000, 1_860);
        stops.recordValue(700_000_000);
        response = times(1_000_000, 1);
        response.recordValueWithCount(700_000_000, 100);
        assertThat(doubt()).contains("percentiles from p99.99 on may be the machine's");
    }

    @Test
    void aColdStartIsToldApart() {
        response = times(10_000, 4);
        cold = times(2_000, 4);
        cold.recordValueWithCount(120_000_000, 300);
        response.recordValueWithCount(120_000_000, 300);
        assertThat(doubt()).matches("there was no warm-up, and the p99 response time is 120\\... ms with the start of the run and "
                + "4\\.0. ms without its first 2 s: use --warmup");
    }

    @Test
    void aFullThreadIsADoubt() {
        threads = new ThreadUse(0.01, "a-reader", 0.99);
        cpuSeconds = 10.5;
        assertThat(doubt()).startsWith("the thread a-reader of the generator used 99 % of a processor").contains("more producers or consumers");
        threads = new ThreadUse(0.01, "brokermeter-sen", 0.99);
        assertThat(doubt()).contains("raise --threads");
    }

    @Test
    void aSlowClockAndARefusedTimerSlackAreDoubts() {
        clock = new MachineClock("hpet", 1_200);
        assertThat(doubt()).startsWith("a reading of the clock takes 1.2 us (the kernel's clock source is hpet)");
        clock = new MachineClock("jiffies", 20);
        assertThat(doubt()).startsWith("the kernel's clock source is jiffies");
        clock = FAST;
        slackRefused = "timer slack stays at its default: no";
        assertThat(doubts()).isEmpty();
        response = times(10_000, 0.2);
        assertThat(doubt()).startsWith("sending threads may wake up to 50 us late").endsWith(slackRefused);
    }

    @Test
    void lateWakingIsBlamedOnWhatDidIt() {
        lateness.recordValueWithCount(20_000_000, 1_000);
        assertThat(doubt()).contains("because the sending threads woke late, for want of CPU time");
        gcMillis = 1_000;
        assertThat(doubt()).contains("mostly in the generator's own garbage collection (10.0 % of the time)");
    }

    private static Histogram histogram() {
        return new Histogram(1, 3_600_000_000_000L, 2);
    }

    private static Histogram times(long count, double millis) {
        Histogram times = new Histogram(1, 3_600_000_000_000L, 3);
        times.recordValueWithCount(Math.round(millis * 1e6), count);
        return times;
    }
}
