package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Observations at the border from which on they are a doubt, or another culprit, and just beyond it. */
class EvidenceBordersTest {

    private static final Consumer<Evidence.Values> QUIET = _ -> {};

    private static Histogram times(long count, double millis) {
        Histogram times = new Histogram(1, 3_600_000_000_000L, 3);
        if (count > 0) {
            times.recordValueWithCount(Math.round(millis * 1e6), count);
        }
        return times;
    }

    private static Histogram times(long count, double millis, long more, double moreMillis) {
        Histogram times = times(count, millis);
        times.recordValueWithCount(Math.round(moreMillis * 1e6), more);
        return times;
    }

    /** Ten seconds of a run that kept 1,000 messages/s on two processors, and what differs from that. */
    private static List<Finding.Doubt> doubts(Consumer<Evidence.Values> machine, Consumer<LoadFigures.Values> load) {
        return Evidence.of(its -> {
            its.seconds = 10;
            its.cores = 2;
            its.machineCores = 4;
            its.cpuSeconds = 2;
            its.busyPercent = 40;
            its.stealPercent = 0;
            its.threads = ThreadUse.UNKNOWN;
            its.throttle = ControlGroup.Throttle.NONE;
            its.stops = times(0, 0);
            its.clock = new MachineClock("tsc", 25);
            its.load = LoadFigures.of(figures -> {
                figures.messages = 10_000;
                figures.schedule = new Schedule(10_000, 0, 1000, 1000);
                figures.waits = new Waits(0, 0, 0, 0, 1);
                figures.lateness = times(0, 0);
                figures.sendDelay = times(0, 0);
                figures.response = times(10_000, 2);
                figures.confirmSeconds = 0.1;
                figures.brokerCpuSeconds = 1;
                figures.far = LoadFigures.Far.NONE;
                figures.slackRefused = "";
                load.accept(figures);
            });
            machine.accept(its);
        }).doubts();
    }

    private static ThreadUse threads(String busiest, double busiestShare, double ready, double readyWaiting) {
        return new ThreadUse(0, busiest, busiestShare, ready, readyWaiting, 0, -1);
    }

    private static Arguments machine(String name, Consumer<Evidence.Values> machine, String... doubts) {
        return arguments(name, machine, (Consumer<LoadFigures.Values>) _ -> {}, List.of(doubts));
    }

    private static Arguments load(String name, Consumer<LoadFigures.Values> load, String... doubts) {
        return arguments(name, QUIET, load, List.of(doubts));
    }

    private static Consumer<Evidence.Values> stopsIn(double seconds) {
        return its -> {
            its.seconds = seconds;
            its.cpuSeconds = 0.2;
            its.stops = times(10, 10);
        };
    }

    static Stream<Arguments> borders() {
        // A load without moments whose times are too long for stalls to matter to them.
        Consumer<LoadFigures.Values> slow = load -> {
            load.schedule = Schedule.NONE;
            load.response = times(10_000, 50);
        };
        Consumer<LoadFigures.Values> cold = load -> {
            load.response = times(1_000, 4, 20, 9);
            load.coldResponse = times(0, 0, 20, 9);
        };
        return Stream.of(
            machine("5 % in collections", its -> its.gcMillis = 500),
            machine("more in collections", its -> its.gcMillis = 501, "GarbageCollected"),
            machine("5 % throttled", its -> its.throttle = new ControlGroup.Throttle(100, 9, 0.05)),
            machine("more throttled", its -> its.throttle = new ControlGroup.Throttle(100, 9, 0.0501), "CpuLimited"),
            machine("5 % stolen", its -> its.stealPercent = 5),
            machine("more stolen", its -> its.stealPercent = 5.01, "CpuStolen"),
            machine("80 % of own cores", its -> its.cpuSeconds = 16),
            machine("more of own cores", its -> its.cpuSeconds = 16.01, "GeneratorBusy"),
            machine("a busy machine with a schedule", its -> its.busyPercent = 100),
            machine("nearly always ready", its -> its.threads = threads("a", 0.1, 0.85, 0.3), "Starved"),
            machine("less ready", its -> its.threads = threads("a", 0.1, 0.849, 0.3)),
            machine("less waiting", its -> its.threads = threads("a", 0.1, 0.85, 0.299)),
            machine("a full thread", its -> its.threads = threads("a", 0.95, 0, 0), "ThreadBusy"),
            machine("a thread that is not full", its -> its.threads = threads("a", 0.949, 0, 0)),
            machine("a full thread of many", its -> {
                its.threads = threads("a", 1, 0, 0);
                its.cpuSeconds = 16.01;
            }, "GeneratorBusy"),
            machine("a full thread of four fifths", its -> {
                its.threads = threads("a", 1, 0, 0);
                its.cpuSeconds = 16;
            }, "ThreadBusy"),
            machine("a clock that takes a microsecond", its -> its.clock = new MachineClock("tsc", 1_000)),
            machine("a slower clock", its -> its.clock = new MachineClock("tsc", 1_001), "ClockSlow"),
            arguments("95 % of the machine", (Consumer<Evidence.Values>) its -> its.busyPercent = 95,
                (Consumer<LoadFigures.Values>) its -> its.schedule = Schedule.NONE, List.of()),
            arguments("more of the machine", (Consumer<Evidence.Values>) its -> its.busyPercent = 95.1,
                (Consumer<LoadFigures.Values>) its -> its.schedule = Schedule.NONE, List.of("MachineBusy")),
            arguments("a sender that spins", (Consumer<Evidence.Values>) its -> its.threads = threads("brokermeter-sen", 1, 0, 0),
                (Consumer<LoadFigures.Values>) its -> its.spins = true, List.of()),
            arguments("another thread beside one that spins", (Consumer<Evidence.Values>) its -> its.threads = threads("a", 1, 0, 0),
                (Consumer<LoadFigures.Values>) its -> its.spins = true, List.of("ThreadBusy")),
            arguments("stops of less than 5 % of a load without moments", (Consumer<Evidence.Values>) its -> its.stops = times(49, 10),
                slow, List.of()),
            arguments("stops of more", (Consumer<Evidence.Values>) its -> its.stops = times(51, 10),
                slow, List.of("HeldUp")),
            arguments("waits that are no stops", (Consumer<Evidence.Values>) its -> its.stops = times(100, 9.9),
                slow, List.of()),
            arguments("stops in a second", EvidenceBordersTest.stopsIn(1),
                slow,
                List.of("HeldUp")),
            arguments("stops in less", EvidenceBordersTest.stopsIn(0.999),
                slow,
                List.of()),
            load("a rate that was changed", its -> its.rateChanges = 1, "RateChanged"),
            load("a refused slack of short times", its -> {
                its.slackRefused = "no";
                its.response = times(10_000, 0.49);
            }, "TimerSlack"),
            load("a refused slack of longer times", its -> {
                its.slackRefused = "no";
                its.response = times(10_000, 0.51);
            }),
            load("a refused slack of a spinning sender", its -> {
                its.slackRefused = "no";
                its.response = times(10_000, 0.2);
                its.spins = true;
            }),
            load("a refused slack without moments", its -> {
                its.slackRefused = "no";
                its.response = times(10_000, 0.2);
                its.schedule = Schedule.NONE;
            }),
            load("a delay of half the times", its -> its.sendDelay = times(10_000, 0.99)),
            load("a longer delay", its -> its.sendDelay = times(10_000, 1.01), "MostlyDelay"),
            load("a delay that ticks explain", its -> {
                its.sendDelay = times(10_000, 1.5);
                its.ticks = new TickDelay(1_000_000, 10_000, 6_000_000_000L, 1_000_000);
            }),
            load("a longer delay than ticks explain", its -> {
                its.sendDelay = times(10_000, 1.7);
                its.ticks = new TickDelay(1_000_000, 10_000, 6_000_000_000L, 1_000_000);
            }, "MostlyDelay"),
            load("a delay that is short beside the times", its -> {
                its.sendDelay = times(10_000, 2.4);
                its.response = times(10_000, 5);
            }),
            load("a cold start", cold, "ColdStart"),
            load("a cold start of few warm times", cold.andThen(its -> {
                its.response = times(99, 4, 20, 9);
            })),
            load("a cold start of enough warm times", cold.andThen(its -> {
                its.response = times(100, 4, 20, 9);
            }), "ColdStart"),
            load("a cold start of twice the time", cold.andThen(its -> {
                its.response = times(1_000, 4, 20, 7.9);
                its.coldResponse = times(0, 0, 20, 7.9);
            })),
            load("a cold start of a millisecond", cold.andThen(its -> {
                its.response = times(1_000, 0.4, 20, 1.39);
                its.coldResponse = times(0, 0, 20, 1.39);
            })));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("borders")
    void aDoubtBeginsBeyondItsBorder(String name, Consumer<Evidence.Values> machine, Consumer<LoadFigures.Values> load,
            List<String> doubts) {
        assertThat(doubts(machine, load)).extracting(doubt -> doubt.getClass().getSimpleName()).isEqualTo(doubts);
    }

    private static Finding.Reason reason(Consumer<Evidence.Values> machine, Consumer<LoadFigures.Values> load) {
        return ((Finding.NotSentInTime) doubts(machine, load).getFirst()).reason();
    }

    private static Arguments culprit(String name, double missing, Waits waits, Consumer<Evidence.Values> machine, Finding.Blame blame) {
        return arguments(name, missing, waits, machine, blame);
    }

    static Stream<Arguments> culprits() {
        return Stream.of(
            culprit("a loss of 5 % that explains", 0.1, new Waits(0.04, 0, 0.05, 0, 1), QUIET, Finding.Blame.CONNECTIONS_LOST),
            culprit("a loss of less", 0.1, new Waits(0.04, 0, 0.049, 0, 1), QUIET, Finding.Blame.SLOW_SENDERS),
            culprit("a loss of three tenths", 0.2, new Waits(0, 0, 0.06, 0, 1), QUIET, Finding.Blame.CONNECTIONS_LOST),
            culprit("a loss of less than three tenths", 0.2, new Waits(0, 0, 0.059, 0, 1), QUIET, Finding.Blame.SLOW_SENDERS),
            culprit("a loss of three tenths of a half", 0.5, new Waits(0, 0, 0.15, 0, 1), QUIET, Finding.Blame.CONNECTIONS_LOST),
            culprit("a small theft", 0.1, new Waits(0, 0, 0, 0, 1), its -> its.stealPercent = 4, Finding.Blame.SLOW_SENDERS),
            culprit("a loss as long as a wait", 0.2, new Waits(0.2, 0, 0.2, 0, 1), QUIET, Finding.Blame.SLOW_BROKER),
            culprit("a rest of a tenth", 0.2, new Waits(0, 0.1, 0, 0, 1), QUIET, Finding.Blame.SLOW_SENDERS),
            culprit("a longer rest", 0.2, new Waits(0, 0.101, 0, 0, 1), QUIET, Finding.Blame.PRODUCERS_RESTED),
            culprit("a rest as long as a wait", 0.2, new Waits(0.2, 0.2, 0, 0, 1), QUIET, Finding.Blame.SLOW_BROKER),
            culprit("calls as long as windows", 0.2, new Waits(0.2, 0, 0, 0.2, 1), QUIET, Finding.Blame.SLOW_BROKER),
            culprit("three tenths of the busy time", 0.2, new Waits(0.06, 0, 0, 0, 0.2), QUIET, Finding.Blame.SLOW_BROKER),
            culprit("less of the busy time", 0.2, new Waits(0.059, 0, 0, 0, 0.2), QUIET, Finding.Blame.SLOW_SENDERS),
            culprit("half of the confirmation", 0.2, new Waits(0.5, 0, 0, 0, 1), its -> {
                its.threads = new ThreadUse(0, "a", 0, 0.1, 0.1, 0.05, -1);
            }, Finding.Blame.STARVED),
            culprit("less than half of it", 0.2, new Waits(0.5, 0, 0, 0, 1), its -> {
                its.threads = new ThreadUse(0, "a", 0, 0.1, 0.1, 0.0499, -1);
            }, Finding.Blame.NOT_TOLD_APART),
            culprit("a part of 15 % of it", 0.2, new Waits(0.5, 0, 0, 0, 1), its -> {
                its.threads = new ThreadUse(0, "a", 0, 0.1, 0.1, 0.015, -1);
            }, Finding.Blame.NOT_TOLD_APART),
            culprit("a smaller part of it", 0.2, new Waits(0.5, 0, 0, 0, 1), its -> {
                its.threads = new ThreadUse(0, "a", 0, 0.1, 0.1, 0.0149, -1);
            }, Finding.Blame.SLOW_BROKER),
            culprit("stopped for half of the time", 0.2, new Waits(0.5, 0, 0, 0, 1), its -> its.gcMillis = 5_000,
                Finding.Blame.GARBAGE_COLLECTION),
            culprit("stopped for three tenths", 0.2, new Waits(0.5, 0, 0, 0, 1),
                its -> its.throttle = new ControlGroup.Throttle(100, 9, 0.3), Finding.Blame.NOT_TOLD_APART),
            culprit("stopped for less", 0.2, new Waits(0.5, 0, 0, 0, 1),
                its -> its.throttle = new ControlGroup.Throttle(100, 9, 0.299), Finding.Blame.SLOW_BROKER),
            culprit("ready for 85 %", 0.2, new Waits(0.5, 0, 0, 0, 1),
                its -> its.threads = threads("a", 0.1, 0.85, 0.06), Finding.Blame.STARVED),
            culprit("ready for less", 0.2, new Waits(0.5, 0, 0, 0, 1),
                its -> its.threads = threads("a", 0.1, 0.849, 0.06), Finding.Blame.SLOW_BROKER),
            culprit("ready and collecting for 85 %", 0.2, new Waits(0.5, 0, 0, 0, 1), its -> {
                its.threads = threads("a", 0.1, 0.75, 0);
                its.gcMillis = 1_000;
            }, Finding.Blame.GARBAGE_COLLECTION),
            culprit("three tenths waiting", 0.2, new Waits(0.5, 0, 0, 0, 1),
                its -> its.threads = threads("a", 0.1, 0.5, 0.3), Finding.Blame.NOT_TOLD_APART),
            culprit("less waiting", 0.2, new Waits(0.5, 0, 0, 0, 1),
                its -> its.threads = threads("a", 0.1, 0.5, 0.299), Finding.Blame.SLOW_BROKER));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("culprits")
    void aCulpritIsNamedFromItsBorderOn(String name, double missing, Waits waits, Consumer<Evidence.Values> machine, Finding.Blame blame) {
        assertThat(reason(machine, load -> {
            load.schedule = new Schedule(10_000, Math.round(10_000 * missing), 1000, 1000 * (1 - missing));
            load.waits = waits;
        }).blame()).isEqualTo(blame);
    }

    private static Consumer<Evidence.Values> watched(double watcherWaiting, Histogram stops) {
        return its -> {
            its.threads = new ThreadUse(0, "a", 0, 0, 0, 0, watcherWaiting);
            its.stops = stops;
        };
    }

    private static Arguments stalled(String name, Consumer<Evidence.Values> machine, Finding.@Nullable Blame blame) {
        return arguments(name, machine, blame);
    }

    static Stream<Arguments> stalls() {
        return Stream.of(
            stalled("nothing else", QUIET, null),
            stalled("1.5 % in collections", its -> its.gcMillis = 150, Finding.Blame.GARBAGE_COLLECTION),
            stalled("less in collections", its -> its.gcMillis = 149, null),
            stalled("1.5 % throttled", its -> its.throttle = new ControlGroup.Throttle(100, 9, 0.015), Finding.Blame.CPU_LIMIT),
            stalled("less throttled", its -> its.throttle = new ControlGroup.Throttle(100, 9, 0.0149), null),
            stalled("1.5 % stolen", its -> its.stealPercent = 1.5, Finding.Blame.STOLEN_CPU),
            stalled("less stolen", its -> its.stealPercent = 1.49, null),
            stalled("80 % of the machine", its -> its.busyPercent = 80, null),
            stalled("more of the machine", its -> its.busyPercent = 80.1, Finding.Blame.STARVED),
            stalled("a busy machine on which nobody waited", its -> {
                its.busyPercent = 90;
                its.threads = new ThreadUse(0, "a", 0, 0, 0, 0, -1);
            }, null),
            stalled("5 % of waiting", its -> its.threads = new ThreadUse(0.05, "a", 0, 0, 0, 0, -1), Finding.Blame.STARVED),
            stalled("less waiting", its -> its.threads = new ThreadUse(0.0499, "a", 0, 0, 0, 0, -1), null),
            stalled("a stop", watched(0, times(1, 200)), Finding.Blame.STOPPED),
            stalled("a stop of unknown kind", watched(-1, times(1, 200)), null),
            stalled("half of a stop, but for a little, without a processor", watched(0.0099, times(1, 200)), Finding.Blame.STOPPED),
            stalled("more than half of it", watched(0.0101, times(1, 200)), null),
            stalled("a stop beside many late wakings", watched(0.002, times(10_000, 0.9, 1, 20)), null),
            stalled("stalls that are no stops", watched(0, times(10, 9)), null),
            stalled("three tenths of the stops in collections", watched(0, times(5, 200)).andThen(its -> its.gcMillis = 301),
                Finding.Blame.GARBAGE_COLLECTION),
            stalled("less of the stops in collections", watched(0, times(5, 200)).andThen(its -> its.gcMillis = 299),
                Finding.Blame.STOPPED));
    }

    /** Sending threads that wake up 20 ms late make the times of a tenth of the messages. */
    private static Finding.HeldUp heldUp(Consumer<Evidence.Values> machine) {
        return (Finding.HeldUp) doubts(machine, load -> {
            load.lateness = times(1_000, 20);
            load.response = times(10_000, 2, 1_000, 22);
        }).getFirst();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stalls")
    void whatStalledThreadsIsNamedFromItsBorderOn(String name, Consumer<Evidence.Values> machine, Finding.@Nullable Blame blame) {
        Finding.Reason reason = heldUp(machine).reason();
        assertThat(reason == null ? null : reason.blame()).isEqualTo(blame);
    }

    /** Of two of four processors for 10 s, the generator used 2 s, the broker 1 s, and others the rest of 40 %. */
    @Test
    void theUseOfProcessorsIsDividedAmongThoseWhoUsedThem() {
        Finding.CpuUse use = new Finding.CpuUse(40, 5, 2.5, 32.5);
        assertThat(heldUp(its -> its.threads = new ThreadUse(0.06, "a", 0, 0, 0, 0, -1)).reason())
            .isEqualTo(new Finding.Reason(Finding.Blame.STARVED, 0.06, use));
        assertThat(heldUp(its -> its.busyPercent = 90).reason())
            .isEqualTo(new Finding.Reason(Finding.Blame.STARVED, Double.NaN, new Finding.CpuUse(90, 5, 2.5, 82.5)));
        assertThat(heldUp(its -> {
            its.threads = new ThreadUse(0.06, "a", 0, 0, 0, 0, -1);
            its.busyPercent = -1;
        }).reason()).as("of a machine that does not tell").isEqualTo(new Finding.Reason(Finding.Blame.STARVED, 0.06, null));
        assertThat(doubts(its -> its.cpuSeconds = 17, _ -> {})).containsExactly(new Finding.GeneratorBusy(85, 2));
    }

    @Test
    void theShareOfACauseIsToldWithIt() {
        assertThat(reason(its -> its.stealPercent = 10, load -> missed(load, new Waits(0, 0, 0, 0, 1))))
            .isEqualTo(new Finding.Reason(Finding.Blame.STOLEN_CPU, 0.1, null));
        assertThat(heldUp(its -> its.stealPercent = 1.5).reason())
            .isEqualTo(new Finding.Reason(Finding.Blame.STOLEN_CPU, 0.015, null));
        Finding.Reason stopped = reason(watched(0, times(5, 200)), load -> missed(load, new Waits(0, 0, 0, 0, 1)));
        assertThat(stopped.blame()).isEqualTo(Finding.Blame.STOPPED);
        assertThat(stopped.share()).isCloseTo(0.1, within(1e-4));
        assertThat(full(new ThreadUse(0, "a", 0, 0.1, 0.04, 0.05, -1), times(0, 0), 0.1))
            .as("half of the time until a confirmation").extracting(Finding.Reason::blame, Finding.Reason::share)
            .containsExactly(Finding.Blame.STARVED, 0.04);
        Finding.Reason idle = reason(its -> {
            its.threads = new ThreadUse(0, "a", 0, 0.1, 0.07, 0, -1);
            its.busyPercent = 0;
        }, load -> {
            missed(load, new Waits(0, 0, 0, 0, 1));
            load.brokerCpuSeconds = 2;
        });
        assertThat(idle.cpuUse()).isEqualTo(new Finding.CpuUse(0, 5, 5, 0));
    }

    /** Of 1,000 messages, 20 met a stall of 20 ms: ten are beyond the 99th percentile, and of 999 fewer. */
    @Test
    void tenMessagesBeyondAPercentileMakeADoubt() {
        for (int others : new int[] {980, 979}) {
            List<Finding.Doubt> doubts = doubts(QUIET, load -> {
                load.messages = others + 20;
                load.lateness = times(20, 20);
                load.response = times(others, 2, 20, 22);
            });
            assertThat(doubts).as(others + " others").hasSize(others == 980 ? 1 : 0)
                .allSatisfy(doubt -> assertThat(((Finding.HeldUp) doubt).percentile()).isEqualTo(99));
        }
    }

    private static void missed(LoadFigures.Values load, Waits waits) {
        load.schedule = new Schedule(10_000, 2_000, 1000, 800);
        load.waits = waits;
    }

    private static Finding.Reason full(ThreadUse threads, Histogram stops, double confirmSeconds) {
        return reason(its -> {
            its.threads = threads;
            its.stops = stops;
        }, load -> {
            missed(load, new Waits(0.5, 0, 0, 0, 1));
            load.confirmSeconds = confirmSeconds;
        });
    }

    /** 1,000 stalls of 9 ms in 10 s: a message waits for the end of one with a chance of 0.9, and then for 4.5 ms. */
    @Test
    void aMessageWaitsForHalfOfAStall() {
        ThreadUse threads = new ThreadUse(0.1, "a", 0, 0.1, 0.06, 0, -1);
        assertThat(full(threads, times(1_000, 9), 0.0080).blame()).as("half of it").isEqualTo(Finding.Blame.STARVED);
        assertThat(full(threads, times(1_000, 9), 0.0083).blame()).as("less").isEqualTo(Finding.Blame.NOT_TOLD_APART);
        assertThat(full(threads, times(1_000, 9), 0.0268).blame()).as("15 %").isEqualTo(Finding.Blame.NOT_TOLD_APART);
        assertThat(full(threads, times(1_000, 9), 0.0273).blame()).as("less").isEqualTo(Finding.Blame.SLOW_BROKER);
        assertThat(full(threads, times(1_000, 9), 0).blame()).as("without confirmations").isEqualTo(Finding.Blame.SLOW_BROKER);
    }

    /** Own waits make up the time until a confirmation, or a thread is always ready, and no loss of time shows why. */
    @Test
    void ownWaitsWithoutALossThatShowsWhy() {
        assertThat(full(new ThreadUse(0.1, "a", 0, 0.1, 0.04, 0.06, -1), times(0, 0), 0.1))
            .isEqualTo(new Finding.Reason(Finding.Blame.STARVED, 0.04, new Finding.CpuUse(40, 5, 2.5, 32.5)));
        assertThat(full(new ThreadUse(-1, "a", 0, 0.1, 0.04, 0.06, -1), times(0, 0), 0.1).share()).isNaN();
        assertThat(full(new ThreadUse(0, "a", 0, 0.1, 0, 0.06, 0), times(10, 9), 0.1))
            .isEqualTo(new Finding.Reason(Finding.Blame.STOPPED, 0, null));
        assertThat(full(new ThreadUse(0, "a", 0, 0.86, 0, 0, 0), times(0, 0), 0.1))
            .isEqualTo(new Finding.Reason(Finding.Blame.SLOW_SENDERS, Double.NaN, null));
    }

    @Test
    void whoUsedTheProcessorsIsSaidWhereItMayBeTheReason() {
        Finding.Reason notTold = full(new ThreadUse(0, "a", 0, 0.5, 0.3, 0, -1), times(0, 0), 0.1);
        assertThat(notTold).isEqualTo(new Finding.Reason(Finding.Blame.NOT_TOLD_APART, 0.5, new Finding.CpuUse(40, 5, 2.5, 32.5)));
        for (double busy : new double[] {80, 81}) {
            Finding.Reason broker = reason(its -> its.busyPercent = busy, load -> missed(load, new Waits(0.5, 0, 0, 0, 1)));
            assertThat(broker).isEqualTo(new Finding.Reason(Finding.Blame.SLOW_BROKER, 0.5,
                busy > 80 ? new Finding.CpuUse(81, 5, 2.5, 73.5) : null));
        }
        Finding.Reason noTime = reason(its -> {
            its.seconds = 0;
            its.threads = new ThreadUse(0, "a", 0, 0.1, 0.07, 0, -1);
        }, load -> missed(load, new Waits(0, 0, 0, 0, 1)));
        assertThat(noTime.blame()).isEqualTo(Finding.Blame.STARVED);
        assertThat(noTime.cpuUse()).isNull();
        Finding.Reason starved = reason(its -> its.threads = new ThreadUse(0, "a", 0, 0.1, 0.07, 0, -1),
            load -> missed(load, new Waits(0, 0, 0, 0, 1)));
        assertThat(starved).isEqualTo(new Finding.Reason(Finding.Blame.STARVED, 0.07, new Finding.CpuUse(40, 5, 2.5, 32.5)));
    }

    /** A rate that was missed, most of the times a delay, and stalls: three doubts, and the reason with the first of them. */
    @Test
    void theReasonIsSaidOnce() {
        List<Finding.Doubt> doubts = doubts(its -> its.gcMillis = 400, load -> {
            missed(load, new Waits(0.5, 0, 0, 0, 1));
            load.lateness = times(1_000, 20);
            load.sendDelay = times(10_000, 1.5);
            load.response = times(10_000, 2, 1_000, 22);
        });
        assertThat(doubts).hasSize(3);
        assertThat(((Finding.NotSentInTime) doubts.get(0)).reason()).isNotNull();
        assertThat(((Finding.MostlyDelay) doubts.get(1)).reason()).isNull();
        assertThat(((Finding.HeldUp) doubts.get(2)).reason()).isNull();
        assertThat(heldUp(its -> its.gcMillis = 400).reason()).isNotNull();
    }
}
