package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Objects;

import io.brokermeter.engine.finding.Finding;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers of the evidence: for one disturbance at a time, the doubt that names it. */
class EvidenceTest {

    private double watcherWaiting = -1;
    private static final MachineClock FAST = new MachineClock("tsc", 25);

    private double seconds = 10;
    private double cpuSeconds = 2;
    private double busyPercent = 40;
    private double stealPercent;
    private long gcMillis = 20;
    private ThreadUse threads = use(0.01, "a-reader", 0.2);
    private ControlGroup.Throttle throttle = ControlGroup.Throttle.NONE;
    private final Histogram stops = histogram();
    private MachineClock clock = FAST;
    private Schedule schedule = new Schedule(10_000, 0, 1000, 1000);
    private double windowShare;
    private double restShare;
    private double lossShare;
    private double callShare;
    private double busyShare = 1;
    private final Histogram lateness = histogram();
    private final Histogram sendDelay = histogram();
    private Histogram response = times(10_000, 2);
    private boolean responded = true;
    private double confirmSeconds = 0.1;
    private @Nullable Histogram cold;
    private long most;
    private double brokerCpu = Double.NaN;
    private String slackRefused = "";
    private LoadFigures.Far far = LoadFigures.Far.NONE;

    /** Returns the use of processors where one thread waited, and was the busiest. */
    private ThreadUse use(double waiting, String busiest, double busiestShare) {
        return new ThreadUse(waiting, busiest, busiestShare, busiestShare + Math.max(0, waiting), Math.max(0, waiting), 0, watcherWaiting);
    }

    private List<Finding.Doubt> doubts() {
        return evidence().doubts();
    }

    private Evidence evidence() {
        return Evidence.of(its -> {
            its.seconds = seconds;
            its.cores = 2;
            its.machineCores = 2;
            its.cpuSeconds = cpuSeconds;
            its.busyPercent = busyPercent;
            its.stealPercent = stealPercent;
            its.gcMillis = gcMillis;
            its.threads = threads;
            its.throttle = throttle;
            its.stops = stops;
            its.clock = clock;
            its.load = LoadFigures.of(figures -> {
                figures.messages = 10_000;
                figures.schedule = schedule;
                figures.waits = new Waits(windowShare, restShare, lossShare, callShare, busyShare);
                figures.lateness = lateness;
                figures.sendDelay = sendDelay;
                figures.response = response;
                figures.responded = responded;
                figures.confirmSeconds = confirmSeconds;
                figures.coldResponse = cold;
                figures.coldSeconds = 1.96;
                figures.most = most;
                figures.brokerCpuSeconds = brokerCpu;
                figures.far = far;
                figures.slackRefused = slackRefused;
            });
        });
    }

    private <T extends Finding.Doubt> T doubt(Class<T> type) {
        List<Finding.Doubt> doubts = doubts();
        assertThat(doubts).isNotEmpty();
        assertThat(doubts.getFirst()).isInstanceOf(type);
        return type.cast(doubts.getFirst());
    }

    /** Returns the reason for which the schedule was not kept. */
    private Finding.Reason reason() {
        return doubt(Finding.NotSentInTime.class).reason();
    }

    private void miss(double reached, double full) {
        schedule = new Schedule(10_000, Math.round(10_000 * (1 - reached)), 1000, 1000 * reached);
        windowShare = full;
    }

    private void unscheduled() {
        schedule = Schedule.NONE;
        most = 100;
    }

    @Test
    void whatOthersUsedIsKnownThoughTheBrokersPartIsNot() {
        unscheduled();
        busyPercent = 99;
        cpuSeconds = 2;
        Finding.CpuUse use = Objects.requireNonNull(doubt(Finding.MachineBusy.class).cpuUse());
        assertThat(use.brokerPercent()).isNaN();
        assertThat(use.othersPercent()).isEqualTo(89);
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
        assertThat(doubts()).containsExactly(
            new Finding.NotSentInTime(0.135, 135, 1000, new Finding.Reason(Finding.Blame.SLOW_BROKER, 0.9, null)));
    }

    @Test
    void aGeneratorInItsOwnCollectorIsTheReasonThoughTheWindowsWereFull() {
        miss(0.6, 0.7);
        gcMillis = 3_860;
        threads = use(0.02, "a-reader", 0.5);
        assertThat(reason()).isEqualTo(new Finding.Reason(Finding.Blame.GARBAGE_COLLECTION, 0.386, null));
    }

    @Test
    void aLittleCollectionIsNotTheReasonForMuchThatIsMissing() {
        miss(0.135, 0.9);
        gcMillis = 600;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.SLOW_BROKER);
        assertThat(doubts()).contains(new Finding.GarbageCollected(0.06));
    }

    /** A generator pinned to one of two processors, which another program uses as well, and an idle broker. */
    @Test
    void aGeneratorThatWaitsForAProcessorIsTheReasonThoughTheWindowsWereFull() {
        miss(0.4, 0.9);
        threads = use(0.6, "brokermeter-sen", 0.3);
        busyPercent = 60;
        brokerCpu = 0.4;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.STARVED);
        assertThat(reason().share()).isEqualTo(0.6);
        Finding.CpuUse use = Objects.requireNonNull(reason().cpuUse());
        assertThat(use.busyPercent()).isEqualTo(60);
        assertThat(use.generatorPercent() + use.brokerPercent() + use.othersPercent()).isCloseTo(60, within(1e-9));
    }

    @Test
    void aHypervisorAndAControlGroupAreTheReason() {
        miss(0.5, 0.8);
        stealPercent = 30;
        assertThat(reason().blame()).as("threads that had time to rest lost nothing to it").isEqualTo(Finding.Blame.SLOW_BROKER);
        threads = use(0.01, "a-reader", 0.9);
        assertThat(reason()).isEqualTo(new Finding.Reason(Finding.Blame.STOLEN_CPU, 0.3, null));
        throttle = new ControlGroup.Throttle(100, 60, 0.4);
        assertThat(reason()).isEqualTo(new Finding.Reason(Finding.Blame.CPU_LIMIT, 0.4, null));
        assertThat(doubts()).contains(new Finding.CpuLimited(0.4, 60, 100));
    }

    /** The schedule asks for 1,000 messages/s; with at most 20 messages in flight over a round trip of 100 ms, 200/s are possible. */
    @Test
    void aRoundTripThatAFullWindowCannotBridgeIsTheReasonAndNotTheBroker() {
        miss(0.2, 0.9);
        far = new LoadFigures.Far(0.1, 20, 0.101);
        assertThat(reason()).isEqualTo(new Finding.Reason(Finding.Blame.ROUND_TRIP, 0.9, null, 100));

        // Mosquitto, whose sockets hold an answer back for another round trip, as measured over 50 ms.
        far = new LoadFigures.Far(0.05, 20, 0.1005);
        assertThat(reason().blame()).isEqualTo(Finding.Blame.ROUND_TRIP);

        // A broker that takes 1 s to confirm is slow even over a round trip of 100 ms.
        far = new LoadFigures.Far(0.1, 20, 1.1);
        assertThat(reason().blame()).isEqualTo(Finding.Blame.SLOW_BROKER);

        // Windows that are large enough were full for another reason, for example a fault.
        far = new LoadFigures.Far(0.1, 1000, 0.101);
        assertThat(reason().blame()).isEqualTo(Finding.Blame.SLOW_BROKER);
    }

    /**
     * Known answers for each kind of culprit. The rows of the broker of 900/s and of the window over 100 ms are rounded figures of runs on
     * two busy cores; those of the quotas are, too, but for the share sent in time, since these runs kept their schedule late; all others
     * are made up.
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // kind, sent in time, window, busy, confirm ms, ready, its wait, turn ms, throttled, stops, each ms, culprit
        "a broker of 900/s of 1000/s,          0.944, 0.924, 0.943, 109.95, 0.088, 0.052, 0.039, 0,   400,  1.8, SLOW_BROKER",
        "the same beside two burners,          0.944, 0.900, 0.940, 110.00, 0.260, 0.200, 1.300, 0,   900,  2.9, SLOW_BROKER",
        "a window of 50 over 100 ms,           0.520, 0.990, 0.998, 100.31, 0.020, 0.015, 0.132, 0,    20,  2.5, SLOW_BROKER",
        "a quota of 15 % for 20k/s,            0.700, 0.131, 0.520,   7.19, 0.929, 0.878, 0.671, 1,    99, 85.0, CPU_LIMIT",
        "a quota of 10 % for 1k/s,             0.900, 0.267, 0.440,  14.63, 0.585, 0.565, 2.020, 0.8,  60, 78.0, CPU_LIMIT",
        "stopped for 700 ms in each second,    0.600, 0.650, 0.900,   4.00, 0.100, 0.010, 0.050, 0,    10, 700,  STOPPED",
        "a crowded core that is always wanted, 0.500, 0.400, 0.900,   8.00, 0.970, 0.880, 0.190, 0,   900,  2.9, STARVED",
        "waits of a third of the confirmation, 0.800, 0.900, 0.950,   9.00, 0.500, 0.250, 3.000, 0,   900,  2.9, NOT_TOLD_APART",
    })
    void theCulpritOfEachKindIsNamed(String kind, double kept, double window, double busyTime, double confirmMillis, double ready,
            double readyWaiting, double turnMillis, double throttled, int stalls, double stallMillis, Finding.Blame culprit) {
        miss(kept, window);
        busyShare = busyTime;
        busyPercent = 100;
        confirmSeconds = confirmMillis / 1e3;
        threads = new ThreadUse(1, "loopback-server", 0.1, ready, readyWaiting, turnMillis / 1e3,
            culprit == Finding.Blame.STOPPED ? 0.01 : stalls * stallMillis / 1e3 / 10);
        throttle = new ControlGroup.Throttle(100, Math.round(100 * throttled), throttled);
        stops.recordValueWithCount(Math.round(stallMillis * 1e6), stalls);
        assertThat(reason().blame()).as(kind).isEqualTo(culprit);
    }

    @Test
    void aThinkTimeIsNotBlamedOnTheBroker() {
        miss(0.08, 0.02);
        restShare = 0.9;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.PRODUCERS_RESTED);
    }

    /**
     * A send that waits for credit or for its confirmation blocks its thread, so that the next send is late and the window is never full.
     */
    @Test
    void sendsThatWaitWithinTheClientAreNotBlamedOnTheSendingThreads() {
        miss(0.3, 0);
        callShare = 0.95;
        assertThat(reason()).isEqualTo(new Finding.Reason(Finding.Blame.CALLS_WAITED, 0.95, null));
        windowShare = 0.96;
        callShare = 0.2;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.SLOW_BROKER);
        windowShare = 0;
        callShare = 0.05;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.SLOW_SENDERS);
    }

    /** A run with 64 MiB of heap beside two processes that use all CPU time that they get (`bench/run culprits`). */
    @Test
    void aLossOfOurOwnIsNotToldApartFromWhatSendsWaitedForWithinTheClient() {
        miss(0.519, 0);
        callShare = 0.755;
        gcMillis = 1_580;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.NOT_TOLD_APART);
        gcMillis = 400;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.CALLS_WAITED);
    }

    @Test
    void connectionsThatAreMadeAnewAreNotCalledARestOfTheProducers() {
        miss(0.75, 0.02);
        lossShare = 0.25;
        assertThat(reason()).isEqualTo(new Finding.Reason(Finding.Blame.CONNECTIONS_LOST, 0.25, null));
    }

    @Test
    void sendingThreadsThatHaveNoTimeToWaitAreTheReason() {
        miss(0.8, 0);
        assertThat(reason().blame()).isEqualTo(Finding.Blame.SLOW_SENDERS);
    }

    /** Windows that are full during a burst of 20 s after 5 min of a low rate, or while a broker stalls for the last 5 s of a minute. */
    @Test
    void aWaitThatFilledTheTimeInWhichSomethingWasDueIsTheReasonHoweverLongTheRun() {
        miss(0.72, 0.06);
        busyShare = 0.1;
        assertThat(reason()).isEqualTo(new Finding.Reason(Finding.Blame.SLOW_BROKER, 0.06, null));
        threads = use(0.06, "a-reader", 0.2);
        assertThat(reason().blame()).isEqualTo(Finding.Blame.SLOW_BROKER);
        callShare = 0.07;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.CALLS_WAITED);
        restShare = 0.08;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.PRODUCERS_RESTED);
        lossShare = 0.08;
        assertThat(reason().blame()).isEqualTo(Finding.Blame.CONNECTIONS_LOST);

        restShare = 0;
        lossShare = 0;
        callShare = 0;
        busyShare = 0.3;
        assertThat(reason().blame()).as("full windows in a fifth of the busy time").isEqualTo(Finding.Blame.SLOW_SENDERS);
    }

    @Test
    void aMedianSendDelayOfHalfASecondIsADoubt() {
        windowShare = 0.9;
        sendDelay.recordValueWithCount(500_000_000, 10_000);
        response = times(10_000, 520);
        Finding.MostlyDelay delay = doubt(Finding.MostlyDelay.class);
        assertThat(delay.medianDelayMillis()).isBetween(500.0, 505.0);
        assertThat(Objects.requireNonNull(delay.reason()).blame()).isEqualTo(Finding.Blame.SLOW_BROKER);
        assertThat(doubts()).hasSize(1);
        assertThat(delay.responded()).isTrue();
        responded = false;
        assertThat(doubt(Finding.MostlyDelay.class).responded()).isFalse();
    }

    /** A first send of 40 ms, in a run of 10 s whose sleeps each end 1.5 ms late, or in which a connection was restored for 0.1 s. */
    @Test
    void aBriefWaitIsNotTheReasonForMessagesOfARunThatKeptItsSchedule() {
        sendDelay.recordValueWithCount(1_500_000, 10_000);
        windowShare = 0.004;
        busyShare = 0.007;
        assertThat(Objects.requireNonNull(doubt(Finding.MostlyDelay.class).reason()).blame()).isEqualTo(Finding.Blame.SLOW_SENDERS);
        lossShare = 0.01;
        busyShare = 0.017;
        assertThat(Objects.requireNonNull(doubt(Finding.MostlyDelay.class).reason()).blame()).isEqualTo(Finding.Blame.SLOW_SENDERS);
        windowShare = 0.011;
        assertThat(Objects.requireNonNull(doubt(Finding.MostlyDelay.class).reason()).blame()).isEqualTo(Finding.Blame.SLOW_BROKER);
        miss(0.9, 0.004);
        lossShare = 0;
        assertThat(reason().blame()).as("a stall at the end").isEqualTo(Finding.Blame.SLOW_SENDERS);
        busyShare = 0.007;
        assertThat(reason().blame()).as("a stall at the end").isEqualTo(Finding.Blame.SLOW_BROKER);
    }

    @Test
    void busyCoresAreADoubtWithoutAScheduleToo() {
        unscheduled();
        busyPercent = 100;
        cpuSeconds = 1;
        brokerCpu = 2;
        Finding.MachineBusy busy = doubt(Finding.MachineBusy.class);
        assertThat(Objects.requireNonNull(busy.cpuUse()).busyPercent()).isEqualTo(100);
    }

    /** A stop of 700 ms in 10 s at a constant rate: 7 % of the messages were due in it. */
    @Test
    void aStopSaysFromWhichPercentileOnItCounts() {
        stopped(1, 700);
        Finding.HeldUp stop = doubt(Finding.HeldUp.class);
        assertThat(stop.longestMillis()).isCloseTo(700, within(5.0));
        assertThat(stop.percentile()).isEqualTo(99);
        assertThat(stop.floorMillis()).isBetween(560.0, 620.0);
        assertThat(stop.valueMillis()).isCloseTo(602, within(8.0));
        assertThat(stop.invalidates()).isFalse();
    }

    /** SIGSTOP of 16.5 ms each second, at 1,000/s and a broker that takes 1.1 ms. */
    @Test
    void shortStopsThatMakeAPercentileAreADoubtAndNoAbsoluteLengthIs() {
        response = times(10_000 - 165, 1.1);
        stopped(10, 16.5);
        Finding.HeldUp stop = doubt(Finding.HeldUp.class);
        assertThat(stop.percentile()).isEqualTo(99);
        assertThat(stop.floorMillis()).as("with what was in flight").isCloseTo(7.6, within(0.5));
        assertThat(stop.valueMillis()).isCloseTo(7.6, within(0.5));
    }

    /** The same stops with a broker that takes 300 ms: no percentile is the generator's. */
    @Test
    void stopsThatAreShortBesideTheTimesAreNoDoubt() {
        stopped(10, 16.5);
        response = times(10_000, 300);
        assertThat(doubts()).isEmpty();
    }

    /** A stop of 7 ms in each second: less than 1 % of the messages wait for it, so p99 is sound, and p99.9 is marked. */
    @Test
    void stopsThatReachOnlyHighPercentilesMarkThemAndRaiseNoDoubt() {
        response = times(10_000 - 70, 1.1);
        stopped(10, 7);
        assertThat(doubts()).isEmpty();
        OwnStalls own = evidence().ownStalls();
        assertThat(own.floorMillis(response, 99, true)).isLessThan(0.5);
        assertThat(own.floorMillis(response, 99.9, true)).isCloseTo(7, within(0.2));
        assertThat(OwnStalls.explains(6, 7.1, 1.1)).isTrue();
    }

    /** Half of the messages wait for a process that is stopped for 70 % of each second. */
    @Test
    void stopsThatMakeTheMedianInvalidateTheRun() {
        response = times(3_000, 1);
        stopped(10, 700);
        Finding.HeldUp stop = doubt(Finding.HeldUp.class);
        assertThat(stop.percentile()).isEqualTo(50);
        assertThat(stop.invalidates()).isTrue();
    }

    @Test
    void aStopWithoutAScheduleConcernsOnlyWhatWasInFlight() {
        unscheduled();
        response = times(1_000_000, 1);
        stops.recordValue(300_000_000);
        response.recordValueWithCount(300_000_000, 100);
        assertThat(doubts()).isEmpty();
        assertThat(evidence().ownStalls().floorMillis(response, 99, false)).isZero();
    }

    @Test
    void aLoadWithoutMomentsThatStoodStillForMuchOfTheTimeIsInvalid() {
        unscheduled();
        for (int i = 0; i < 10; i++) {
            stops.recordValue(400_000_000);
        }
        Finding.HeldUp stop = doubt(Finding.HeldUp.class);
        assertThat(stop.percentile()).isNaN();
        assertThat(stop.stoppedShare()).isCloseTo(0.4, within(0.01));
        assertThat(stop.invalidates()).isTrue();
    }

    @Test
    void oneStallOfARunOfSomeMillisecondsSaysNothing() {
        unscheduled();
        seconds = 0.02;
        cpuSeconds = 0.01;
        gcMillis = 0;
        stops.recordValue(15_000_000);
        assertThat(doubts()).isEmpty();
    }

    /** Records stops, and the messages that were due in them at 1,000/s. */
    private void stopped(int count, double millis) {
        stops.recordValueWithCount(20_000, 8_000);
        double base = response.getValueAtPercentile(50);
        for (int i = 0; i < count; i++) {
            stops.recordValue(Math.round(millis * 1e6));
            for (int due = 0; due < millis; due++) {
                response.recordValue(Math.round(base + (millis - due) * 1e6));
            }
        }
    }

    @Test
    void aColdStartIsToldApart() {
        response = times(10_000, 4);
        cold = times(2_000, 4);
        cold.recordValueWithCount(120_000_000, 300);
        response.recordValueWithCount(120_000_000, 300);
        Finding.ColdStart start = doubt(Finding.ColdStart.class);
        assertThat(start.p99Millis()).isBetween(120.0, 121.0);
        assertThat(start.p99WithoutMillis()).isBetween(4.0, 4.1);
        assertThat(start.seconds()).isEqualTo(2);
        assertThat(start.responded()).isTrue();
        responded = false;
        assertThat(doubt(Finding.ColdStart.class).responded()).isFalse();
    }

    @Test
    void aFullThreadIsADoubt() {
        threads = use(0.01, "a-reader", 0.99);
        cpuSeconds = 10.5;
        assertThat(doubts()).startsWith(new Finding.ThreadBusy("a-reader", 0.99, false));
        threads = use(0.01, "brokermeter-sen", 0.99);
        assertThat(doubts()).startsWith(new Finding.ThreadBusy("brokermeter-sen", 0.99, true));
    }

    @Test
    void withoutAnyTimeNothingIsSaidOfTimes() {
        stops.recordValueWithCount(20_000, 1_860);
        stops.recordValue(700_000_000);
        slackRefused = "timer slack stays at its default: no";
        response = histogram();
        assertThat(doubts()).isEmpty();
    }

    @Test
    void aSlowClockAndARefusedTimerSlackAreDoubts() {
        clock = new MachineClock("hpet", 1_200);
        assertThat(doubts()).startsWith(new Finding.ClockSlow(1.2, "hpet"));
        clock = new MachineClock("jiffies", 20);
        assertThat(doubts()).startsWith(new Finding.ClockCoarse("jiffies"));
        clock = FAST;
        slackRefused = "timer slack stays at its default: no";
        assertThat(doubts()).isEmpty();
        response = times(10_000, 0.2);
        assertThat(doubts()).startsWith(new Finding.TimerSlack(slackRefused));
    }

    @Test
    void lateWakingIsBlamedOnWhatDidIt() {
        lateness.recordValueWithCount(20_000_000, 1_000);
        response.recordValueWithCount(22_000_000, 1_000);
        assertThat(doubt(Finding.HeldUp.class).reason()).as("an idle machine").isNull();
        assertThat(doubt(Finding.HeldUp.class).longestMillis()).isCloseTo(20, within(0.2));
        assertThat(evidence().lateness99()).isCloseTo(20, within(0.2));
        threads = use(-1, "", 0);
        assertThat(doubt(Finding.HeldUp.class).reason()).isNull();
        busyPercent = 90;
        assertThat(Objects.requireNonNull(doubt(Finding.HeldUp.class).reason()).blame()).isEqualTo(Finding.Blame.STARVED);
        busyPercent = 40;
        threads = use(0.06, "a-reader", 0.2);
        assertThat(Objects.requireNonNull(doubt(Finding.HeldUp.class).reason()).blame()).isEqualTo(Finding.Blame.STARVED);
        gcMillis = 1_000;
        assertThat(doubt(Finding.HeldUp.class).reason()).isEqualTo(new Finding.Reason(Finding.Blame.GARBAGE_COLLECTION, 0.1, null));
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
