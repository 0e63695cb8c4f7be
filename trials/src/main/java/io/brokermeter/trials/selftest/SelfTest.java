package io.brokermeter.trials.selftest;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.ToolVersion;
import io.brokermeter.trials.selftest.SelfTestLine.Grade;
import org.jspecify.annotations.Nullable;

/**
 * A minute of short runs that show what readings of this machine are worth: they go over the driver LOOPBACK, whose broker behaves in a
 * known way, and over TCP to an {@link EchoServer}. {@link #run} blocks; the methods of {@link Interruptible} may be called from any thread.
 */
public final class SelfTest implements Interruptible {

    /** How far a share of messages may be from the one that is known, beside what stalls add. */
    private static final double SHARE = 0.005;
    /** Waking later than this at the 99th percentile, in milliseconds, a machine is no place to measure brokers. */
    private static final double LATE_MILLIS = 1;
    private static final double SLOW_TCP_MILLIS = 5;
    private static final double FREEZE_SECONDS = 0.8;
    private static final double FREEZE_OF = 4;
    private static final int FREEZE_RATE = 500;
    private static final long COUNTED = 40_000;
    /** The faults of the ledger's run: primes of which two meet in no message up to {@link #COUNTED}. */
    private static final int LOSE = 199;
    private static final int DUPLICATE = 211;
    private static final int CUT = 223;
    /** The delay of the messages that show what waking adds to the times of the queues, in milliseconds. */
    private static final int REFERENCE_MILLIS = 2;
    private static final List<SingleServerQueue> QUEUES = List.of(new SingleServerQueue(0.5, 1_000, false),
        new SingleServerQueue(0.8, 4_000, false), new SingleServerQueue(0.95, 10_000, false), new SingleServerQueue(0.5, 1_000, true),
        new SingleServerQueue(0.8, 4_000, true), new SingleServerQueue(0.95, 10_000, true));
    private static final List<Integer> RATES = List.of(100, 1_000, 10_000);
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Drivers drivers;
    private final double scale;
    private final Consumer<String> progress;
    private final List<SelfTestLine> lines = new ArrayList<>();
    private final List<Health> healths = new ArrayList<>();
    private final Map<Integer, RunResult> waking = new LinkedHashMap<>();
    private volatile @Nullable Run running;
    private volatile int signal;
    private double left;

    /**
     * @param scale length of the runs as a share of the usual one, for tests; 1 takes about a minute
     * @param progress receives what is done, as a beginning of a sentence
     */
    public SelfTest(Drivers drivers, double scale, Consumer<String> progress) {
        this.drivers = drivers;
        this.scale = scale;
        this.progress = progress;
    }

    /** One part of the self-test, with the seconds that it takes. */
    private record Step(String name, double seconds, Work work) {}

    private interface Work {
        void run() throws RunFailure, IOException, InterruptedException;
    }

    /**
     * Runs everything, and returns what it showed; null if a signal ended it.
     *
     * @throws RunFailure when a run could not begin
     * @throws IOException when there is no port for the server
     */
    public @Nullable SelfTestReport run() throws RunFailure, IOException, InterruptedException {
        MachineReadings machine = new MachineReadings();
        List<Step> steps = new ArrayList<>();
        // First, since it compiles what all others run.
        steps.add(new Step("the highest rate of the harness", 6, this::harness));
        RATES.forEach(rate -> steps.add(new Step("waking for " + rate + " messages/s", wakeSeconds(rate), () -> wake(rate))));
        steps.add(new Step("the way over TCP", 11, this::tcp));
        steps.add(new Step("a freeze of a known length", FREEZE_OF, this::freeze));
        steps.add(new Step("queues of known response times", 13, this::queues));
        steps.add(new Step("lost, duplicated and cut messages", 2, this::ledger));
        left = steps.stream().mapToDouble(Step::seconds).sum() * scale;
        for (Step step : steps) {
            progress.accept(String.format(Locale.ROOT, "Self-test, about %.0f s left: %s", left, step.name));
            try {
                step.work.run();
            } catch (RunFailure e) {
                if (signal == 0) {
                    throw e;
                }
            }
            if (signal != 0) {
                return null;
            }
            machine.look();
            left -= step.seconds * scale;
        }
        Health last = healths.getLast();
        lines.addFirst(machine.clock(last.host().clockSource(), last.host().clockReadingNanos()));
        lines.add(machine.kernel(healths.stream().mapToDouble(health -> health.host().throttledPercent()).max().orElse(0)));
        double stalls = waking.values().stream().mapToDouble(run -> Baseline.stallsPerSecond(run.health())).average().orElse(0);
        return new SelfTestReport(lines, RunEnvironment.now(ToolVersion.text()).document(),
            new Baseline(Instant.now(), stalls, machine.othersPercent(), last.host().clockReadingNanos()), machine.seconds());
    }

    // ---- the generator ----

    private void harness() throws RunFailure {
        RunResult run = execute(limits(2, 6), its -> connect(its, "", "harness", 1_024, p -> p.maxPending = 100));
        double perMessage = run.health().cpuMicrosPerMessage();
        lines.add(SelfTestLine.of("harness", run.success() ? Grade.OK : Grade.DOUBTFUL, Amounts.count(run.meanReceived()) + " messages/s, "
            + Amounts.time(perMessage) + " of CPU a message",
            meaning(run, "at 10,000/s the generator itself takes "
                + Amounts.percent(perMessage) + " of a processor"),
            Map.of("messagesPerSecond", run.meanReceived(), "cpuMicrosPerMessage", perMessage)));
    }

    private static double wakeSeconds(int rate) {
        return rate == RATES.getFirst() ? 10.5 : 5.5;
    }

    private void wake(int rate) throws RunFailure {
        RunResult run = execute(limits(0.5, wakeSeconds(rate)), its -> connect(its, "", "wake", 1_024, p -> p.load = constant(rate)));
        waking.put(rate, run);
        Distribution late = times(run, Metric.SEND_DELAY);
        boolean last = rate == RATES.getLast();
        lines.add(SelfTestLine.of(String.format(Locale.ROOT, "wakes at %,d/s", rate),
            wokeLate(run) ? Grade.DOUBTFUL : Grade.OK, late, last
                ? "response times below "
                    + Amounts.time(waking.values().stream().mapToLong(one -> times(one, Metric.SEND_DELAY).nanosAt(99))
                        .max().orElse(0) / 1e3)
                    + " may be this machine's own"
                : ""));
        if (last) {
            lines.add(SelfTestLine.of("over LOOPBACK", Grade.OK, times(Objects.requireNonNull(waking.get(1_000)), Metric.TRANSFER), ""));
        }
    }

    private void tcp() throws RunFailure, IOException, InterruptedException {
        try (EchoServer server = new EchoServer(); WireCapture capture = WireCapture.start(server.port()).orElse(null)) {
            Endpoint endpoint = endpoint("MQTT", "mqtt://127.0.0.1:" + server.port() + "?version=3.1.1&qos=0");
            RunResult run =
                execute(limits(1, 11), its -> connect(its, endpoint, "topic://selftest", "tcp", 100, p -> p.load = constant(1_000)));
            Distribution transfer = times(run, Metric.TRANSFER);
            double own = run.health().host().clockAndWakeMicros();
            lines
                .add(SelfTestLine.of("over TCP", transfer.nanosAt(99) > SLOW_TCP_MILLIS * 1e6 || !run.success() ? Grade.DOUBTFUL : Grade.OK,
                    transfer, meaning(run, "through a server that only passes on: no broker of this machine is faster" + (own > 0
                        ? "; one wake-up behind a socket is " + Amounts.time(own) + " of it" : ""))));
            if (signal == 0) {
                lines.add(capture == null ? SelfTestLine.of("tshark", Grade.SKIPPED, "not installed", "", Map.of())
                    : compared(capture, transfer));
            }
        }
    }

    private static SelfTestLine compared(WireCapture capture, Distribution transfer) throws InterruptedException {
        Distribution wire = capture.end();
        if (wire == null) {
            return SelfTestLine.of("tshark", Grade.SKIPPED, "captured nothing: " + capture.said(), "", Map.of());
        }
        double seen = wire.nanosAt(50) / 1e3;
        double measured = transfer.nanosAt(50) / 1e3;
        return SelfTestLine.of("tshark", measured < seen ? Grade.WRONG : Grade.OK,
            "saw a median of " + Amounts.time(seen) + " on the wire, and " + Amounts.time(measured) + " were measured",
            measured < seen ? "a message cannot take less than its packets"
                : "stamping and waking are " + Amounts.time(measured - seen) + " of each time over TCP",
            Map.of("wireP50Micros", seen, "transferP50Micros", measured, "packets", wire.count()));
    }

    // ---- known answers ----

    private void freeze() throws RunFailure {
        double of = FREEZE_OF * scale;
        double frozen = FREEZE_SECONDS * scale;
        RunResult run = execute(limits(0, FREEZE_OF), its -> connect(its, "freeze-at=" + Math.round(of * 250) + "ms&freeze-for="
            + Math.round(frozen * 1e3) + "ms", "freeze", 100, p -> {
                p.load = constant(FREEZE_RATE);
                p.maxPending = 10;
            }), false);
        Distribution response = times(run, Metric.RESPONSE);
        double stalled = run.health().hiccupMaxMillis() / 1e3 / of + 3.0 / Math.max(1, response.count());
        List<String> said = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        Map<String, Object> figures = new LinkedHashMap<>();
        Grade grade = Grade.OK;
        for (double part : new double[] {0.25, 0.5, 0.75}) {
            double x = part * frozen;
            double known = (frozen - x) / of;
            double share = 1 - response.histogram().getPercentileAtOrBelowValue(Math.round(x * 1e9)) / 100;
            double off = Math.abs(share - known);
            // Stalls make more messages late, never fewer.
            boolean explained = off <= SHARE + stalled || share > known && isDisturbed(run.health());
            grade = worse(grade, off <= SHARE ? Grade.OK : explained ? Grade.DOUBTFUL : Grade.WRONG);
            said.add(decimal(100 * share, 1));
            expected.add(decimal(100 * known, 1));
            figures.put("shareAbove" + Math.round(x * 1e3) + "Millis", share);
            figures.put("knownAbove" + Math.round(x * 1e3) + "Millis", known);
        }
        lines.add(SelfTestLine.of("freeze oracle", grade, known(said, expected, "%") + ", of the times above 1/4, 1/2 and 3/4 of a freeze",
            verdict(grade, "a broker that stands still is seen by all who wait"), figures));
    }

    private void queues() throws RunFailure {
        SplittableRandom seeds = new SplittableRandom();
        RunResult run = execute(limits(1, 13), its -> {
            its.seed = seeds.nextLong() >>> 1;
            for (SingleServerQueue queue : QUEUES) {
                connect(its, "service-rate=" + (int) queue.served() + "&service=" + (queue.exponential() ? "exponential" : "constant"),
                    name(queue), 100, p -> {
                        p.load = new Load.Poisson(queue.arriving(), seeds.nextLong() >>> 1);
                        p.maxPending = 100_000;
                    });
            }
            connect(its, "delay=" + REFERENCE_MILLIS + "ms", "reference", 100, p -> p.load = constant(200));
        });
        double own = Math.max(0, response(run, "reference").meanNanos() / 1e9 - REFERENCE_MILLIS / 1e3);
        for (boolean exponential : new boolean[] {false, true}) {
            List<String> said = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            Map<String, Object> figures = new LinkedHashMap<>();
            Grade grade = Grade.OK;
            for (SingleServerQueue queue : QUEUES.stream().filter(one -> one.exponential() == exponential).toList()) {
                Distribution times = response(run, name(queue));
                double measured = times.meanNanos() / 1e9;
                grade = worse(grade, queue.grade(times.count(), measured, own, run.health().stalls(), isDisturbed(run.health())));
                said.add(times.count() == 0 ? "n/a" : decimal(measured * 1e3, 2));
                expected.add(decimal(queue.mean() * 1e3, 2));
                figures.put("meanMillisAt" + queue.load(), measured * 1e3);
                figures.put("knownMillisAt" + queue.load(), queue.mean() * 1e3);
                figures.put("toleranceAt" + queue.load(), queue.tolerance(Math.max(1, times.count())) - 1);
            }
            figures.put("wakingMillis", own * 1e3);
            lines.add(SelfTestLine.of((exponential ? "M/M/1" : "M/D/1") + " .5 .8 .95", grade, known(said, expected, "ms"),
                verdict(grade, exponential ? "right within what such a run scatters" : ""), figures));
        }
    }

    /** Returns whether threads of this machine wait so long, in this run or before it, that times that are too long prove nothing. */
    private boolean isDisturbed(Health health) {
        return !health.verdict().reasons().isEmpty() || health.hiccup999Millis() > LATE_MILLIS
            || waking.values().stream().anyMatch(SelfTest::wokeLate);
    }

    private static boolean wokeLate(RunResult run) {
        return times(run, Metric.SEND_DELAY).nanosAt(99) > LATE_MILLIS * 1e6 || !run.health().schedule().kept();
    }

    /** Returns what follows from a run, or why it failed. */
    private static String meaning(RunResult run, String usual) {
        return run.success() ? usual : String.join("; ", new Sentences(Setting::key).of(run.failures()));
    }

    private void ledger() throws RunFailure {
        RunResult run = execute(Limits.of(its -> its.drainTimeout = Duration.ofMillis(700)), its -> connect(its, "lose-every=" + LOSE
            + "&duplicate-every=" + DUPLICATE + "&truncate-every=" + CUT, "ledger", 100, p -> {
                p.messageCount = COUNTED;
                p.maxPending = 1_000;
            }), false);
        LedgerReport books = Objects.requireNonNull(run.ledger());
        long[] found = {books.lost(), books.duplicates(), books.corrupt()};
        long[] known = {COUNTED / LOSE, COUNTED / DUPLICATE, COUNTED / CUT};
        boolean right = Arrays.equals(found, known) && books.closes();
        lines.add(SelfTestLine.of("ledger", right ? Grade.OK : Grade.WRONG,
            String.format(Locale.ROOT, "%d lost, %d twice, %d cut, known are %d, %d, %d", found[0], found[1], found[2], known[0], known[1],
                known[2]),
            right ? "none of them goes unseen" : "the counts of a run are not right",
            Map.of("lost", found[0], "duplicates", found[1], "cut", found[2])));
    }

    private static String decimal(double value, int digits) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    private static String known(List<String> said, List<String> expected, String unit) {
        return String.join(", ", said) + " " + unit + ", known are " + String.join(", ", expected);
    }

    private static Grade worse(Grade one, Grade other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    private static String verdict(Grade grade, String good) {
        return switch (grade) {
            case OK, SKIPPED -> good;
            case DOUBTFUL -> "this machine's own stalls are in it";
            case WRONG -> "that is not the known answer, and stalls do not explain it";
        };
    }

    // ---- runs ----

    private Limits limits(double warmup, double seconds) {
        return Limits.of(its -> {
            its.warmup = millis(warmup);
            its.duration = millis(seconds);
            its.drainTimeout = Duration.ofSeconds(5);
        });
    }

    private Duration millis(double seconds) {
        return Duration.ofMillis(Math.round(seconds * scale * 1e3));
    }

    private RunResult execute(Limits limits, Consumer<Scenario.Values> change) throws RunFailure {
        return execute(limits, change, true);
    }

    /** @param calm whether nothing is wrong on purpose, so that the figures of the generator say something about the machine */
    private RunResult execute(Limits limits, Consumer<Scenario.Values> change, boolean calm) throws RunFailure {
        Run run = new Run(Plan.of(Scenario.of("selftest", limits, change), drivers.all()), new RunObserver() {});
        running = run;
        if (signal != 0) {
            run.stop(signal);
        }
        RunResult result = run.execute();
        running = null;
        if (calm) {
            healths.add(result.health());
        }
        return result;
    }

    private static void connect(Scenario.Values its, String knobs, String name, int size, Consumer<ProducerGroupSpec.Draft> change) {
        connect(its, endpoint("LOOPBACK", "loopback://selftest" + NAMES.incrementAndGet() + (knobs.isEmpty() ? "" : "?" + knobs)),
            "queue://selftest", name, size, change);
    }

    /** Adds a producer and a consumer of one destination to a scenario. */
    private static void connect(Scenario.Values its, Endpoint endpoint, String destination, String name, int size,
            Consumer<ProducerGroupSpec.Draft> change) {
        List<Destination> where = List.of(Destination.parse(destination));
        its.producers = plus(its.producers, ProducerGroupSpec.plain(endpoint, where, 1_000, Messages.ofSize(size)).with(p -> {
            p.name = name;
            change.accept(p);
        }));
        its.consumers = plus(its.consumers, ConsumerGroupSpec.plain(endpoint, where).with(c -> c.name = name));
    }

    private static <T> List<T> plus(List<T> some, T one) {
        List<T> all = new ArrayList<>(some);
        all.add(one);
        return all;
    }

    private static Endpoint endpoint(String protocol, String url) {
        return new Endpoint(protocol, new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5)));
    }

    private static Load constant(int perSecond) {
        return new Load.Constant(Rate.perSecond(perSecond));
    }

    private static String name(SingleServerQueue queue) {
        return (queue.exponential() ? "mm1-" : "md1-") + queue.load();
    }

    private static Distribution times(RunResult run, Metric metric) {
        return Objects.requireNonNull(run.measured().get(metric));
    }

    private static Distribution response(RunResult run, String group) {
        return run.groups().stream().filter(one -> !one.producing() && one.name().equals(group)).findFirst()
            .map(one -> Objects.requireNonNull(one.measured().get(Metric.RESPONSE))).orElseThrow();
    }

    // ---- signals ----

    @Override
    public boolean hasBegun() {
        return true;
    }

    @Override
    public void stop(int number) {
        signal = number;
        Run current = running;
        if (current != null) {
            current.stop(number);
        }
    }

    @Override
    public void abort() {
        Run current = running;
        if (current != null) {
            current.abort();
        }
    }

    /** Returns the signal that ended the self-test; 0 for none. */
    public int signal() {
        return signal;
    }
}
