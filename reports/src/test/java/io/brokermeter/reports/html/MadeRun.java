package io.brokermeter.reports.html;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HostEffects;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Made;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.spi.parameter.Setting;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Run with made-up results, whose files {@link RunDirectory} writes as those of a real run. Times are lognormal, from a seed; their median
 * is 300 us for most metrics.
 */
final class MadeRun {

    private static final long SECOND = 1_000_000_000L;
    static final Instant START = Instant.parse("2026-01-02T03:04:05Z");

    String name = "made";
    double processingMicros;
    boolean handlerTimed;
    int seconds = 20;
    int warmups = 2;
    /** Messages per second. */
    long messages = 1000;
    /** Number of times drawn per second; they stand for all messages of the second. */
    int values = 200;
    boolean broker = true;
    boolean finished = true;
    /** Index of a second in which response times are up to a second longer and the connection is lost; -1 for none. */
    int stall = -1;
    List<Finding.Failure> failures = List.of();
    List<Finding.Doubt> doubts = List.of();
    long lost;
    /** Number of deliveries of messages that were sent to other destinations. */
    long others;
    /** Scorecard of a fault; null for a run without one. */
    @Nullable Scorecard scorecard;
    /** Further events, in order of time. */
    List<Event> events = List.of();
    /** Factor of all times and of the CPU usage of the broker. */
    double slower = 1;
    double asked = 1000;
    /** Number of messages that were not sent in time. */
    long late;
    String scenario = "name: made\nload: {rate: 1000/s}\n";

    int seed = 42;

    private Random random = new Random();
    private final Map<Metric, Histogram> totals = new EnumMap<>(Metric.class);

    MadeRun with(Consumer<MadeRun> change) {
        change.accept(this);
        return this;
    }

    /** Writes the files into a directory and returns it. */
    Path in(Path directory) throws Exception {
        random = new Random(seed);
        RunShape shape = new RunShape(name, true, true, true, Duration.ofSeconds(seconds), 0, 7, Double.NaN, "", Setting::key, false);
        try (RunDirectory run = RunDirectory.open(directory, scenario, shape, RunEnvironment.now("0.1.0"), List.of(), null)) {
            if (processingMicros > 0) {
                run.environment(its -> its.with(new EnvironmentDocument.Subject(null, null, null,
                    DocumentJson.read(EnvironmentDocument.Workload.class, Map.of("processingMeanMicros", processingMicros)))));
            }
            for (int i = 0; i < seconds; i++) {
                run.interval(interval(i));
                if (i == stall) {
                    run.event(new Event(i * SECOND + 100_000_000, Event.Kind.INTERRUPTED, new Finding.Reconnecting("Connection <reset>")));
                    run.event(new Event(i * SECOND + 900_000_000, Event.Kind.RESUMED, new Finding.Reconnected()));
                }
            }
            for (Event event : events) {
                run.event(event);
            }
            if (finished) {
                run.finished(result().with(its -> its.scorecard = scorecard));
            }
        }
        if (!finished) {
            // A killed process leaves an incomplete last line.
            Path lines = directory.resolve(RunDirectory.INTERVALS);
            String all = Files.readString(lines);
            Files.writeString(lines, all.substring(0, all.length() - 40));
            Path log = directory.resolve(RunDirectory.HISTOGRAMS);
            all = Files.readString(log);
            Files.writeString(log, all.substring(0, all.length() - 40));
        }
        return directory;
    }

    /**
     * Turns the run whose files are in a directory into a longer one. The interval and the histograms of each second are drawn
     * independently from the seconds of the original run, so that no two parts are alike.
     */
    void stretch(Path directory, int longer) throws Exception {
        List<String> lines = Files.readAllLines(directory.resolve(RunDirectory.INTERVALS));
        Map<String, List<String>> histograms = new LinkedHashMap<>();
        StringBuilder log = new StringBuilder();
        for (String line : Files.readAllLines(directory.resolve(RunDirectory.HISTOGRAMS))) {
            if (line.startsWith("Tag=")) {
                histograms.computeIfAbsent(line.substring(0, line.indexOf(',')), _ -> new ArrayList<>())
                    .add(line.substring(line.lastIndexOf(',')));
            } else {
                log.append(line).append('\n');
            }
        }
        StringBuilder intervals = new StringBuilder();
        for (int second = 0; second < longer; second++) {
            intervals.append(lines.get(random.nextInt(lines.size())).replaceFirst("\"elapsedSeconds\":[0-9.]+",
                "\"elapsedSeconds\":" + (second + 1))).append('\n');
            int start = second;
            histograms.forEach((tag, all) -> log.append(tag).append(',').append(start).append(".000,1.000,1.000")
                .append(all.get(random.nextInt(all.size()))).append('\n'));
        }
        Files.writeString(directory.resolve(RunDirectory.INTERVALS), intervals);
        Files.writeString(directory.resolve(RunDirectory.HISTOGRAMS), log);
    }

    private Interval interval(int i) {
        boolean warm = i < warmups;
        Map<Metric, Distribution> samples = new EnumMap<>(Metric.class);
        Map<Metric, Distribution> nothing = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            boolean plain = metric != Metric.ROUND_TRIP && metric != Metric.LATE_DELIVERY && (metric != Metric.HANDLER || handlerTimed);
            samples.put(metric, new Distribution(plain ? times(metric, i) : new Histogram(3), 0, 0));
            nothing.put(metric, new Distribution(new Histogram(3), 0, 0));
            if (!warm && plain) {
                totals.computeIfAbsent(metric, _ -> new Histogram(3)).add(samples.get(metric).histogram());
            }
        }
        long begin = START.toEpochMilli() * 1_000_000 + i * SECOND;
        return Interval.of(its -> {
            its.index = i;
            its.warmup = warm;
            its.startEpochNanos = begin;
            its.endEpochNanos = begin + SECOND;
            its.elapsedNanos = (i + 1) * SECOND;
            its.set(Count.SENT, messages);
            its.set(Count.COMPLETED, messages);
            its.set(Count.RECEIVED, messages);
            its.measured = warm ? nothing : samples;
            its.warmupSamples = warm ? samples : nothing;
            its.broker = broker ? sample(i) : null;
        });
    }

    private Histogram times(Metric metric, int i) {
        Histogram all = new Histogram(3);
        double median = slower * switch (metric) {
            case SEND_DELAY -> 20_000;
            case SEND -> 250_000;
            case RESPONSE -> 320_000;
            case HANDLER -> 2_600_000;
            default -> 300_000;
        };
        long drawn = Math.min(values, messages);
        for (int v = 0; v < drawn; v++) {
            double late = i == stall && metric == Metric.RESPONSE ? SECOND * (1 - (double) v / drawn) : 0;
            long each = messages / drawn + (v < messages % drawn ? 1 : 0);
            all.recordValueWithCount((long) (median * Math.exp(0.4 * random.nextGaussian()) + late), each);
        }
        return all;
    }

    private BrokerSample sample(int i) {
        double wave = Math.sin(i / 10.0);
        BrokerSample.Usage usage =
            new BrokerSample.Usage(slower * (60 + 20 * wave), (long) ((500 + 50 * wave) * (1 << 20)), 2, 70, 100, 0, 1 << 20, 3000, 40);
        return new BrokerSample(1, usage,
            new BrokerSample.Heap((long) ((200 + 100 * wave) * (1 << 20)), 400 << 20, 1 << 30, i % 5 == 0 ? 1 : 0,
                i % 5 == 0 ? 12 : 0),
            i == stall ? 900 : 3, Map.of(), List.of());
    }

    private RunResult result() {
        Map<Metric, Distribution> measured = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            measured.put(metric, new Distribution(totals.getOrDefault(metric, new Histogram(3)), 0, 0));
        }
        long all = messages * seconds;
        int length = Math.max(0, seconds - warmups);
        long part = messages * length;
        LedgerReport ledger = new LedgerReport(Counts.NONE.with(Count.EXPECTED, all).with(Count.LEDGER_RECEIVED, all - lost + others)
            .with(Count.LOST, lost).with(Count.OTHER_DESTINATION, others), null);
        List<GroupResult.EndpointResult> consumers = new ArrayList<>();
        for (int c = 0; c < 4; c++) {
            consumers.add(new GroupResult.EndpointResult("queue://Q" + c % 2, all / 10 * (c + 1)));
        }
        List<GroupResult> groups = List.of(
            GroupResult.of(its -> {
                its.name = "producers";
                its.producing = true;
                its.protocol = "CORE";
                its.set(Count.SENT, all);
                its.set(Count.COMPLETED, all);
                its.messageSeconds = seconds;
                its.measured = measured;
                its.endpoints = List.of(new GroupResult.EndpointResult("queue://Q0", all));
            }),
            GroupResult.of(its -> {
                its.name = "consumers";
                its.protocol = "CORE";
                its.set(Count.RECEIVED, all - lost);
                its.messageSeconds = seconds;
                its.measured = measured;
                its.endpoints = consumers;
            }));
        Health health = Health.of(its -> {
            Made.health(its);
            its.schedule = Double.isNaN(asked) ? Schedule.NONE : new Schedule(all, late, asked, asked);
            its.host = new HostEffects(12.5, "a-reader", 20, 0, "tsc", 25, 31.25);
            its.verdict = doubts.isEmpty() ? new GeneratorVerdict.Sound() : new GeneratorVerdict.Doubtful(doubts);
        });
        Map<String, String> versions = new LinkedHashMap<>(Map.of("tool", "0.1.0", "broker", "Artemis 2.55.0"));
        return RunResult.of(its -> {
            its.failures = failures;
            its.start = START;
            its.elapsed = Duration.ofSeconds(seconds);
            its.sending = Duration.ofSeconds(seconds);
            its.set(Count.SENT, all);
            its.set(Count.COMPLETED, all);
            its.set(Count.RECEIVED, all - lost);
            its.ledger = ledger;
            its.measured = measured;
            its.part = MeasuredPart.of(span -> {
                span.seconds = length;
                span.set(Count.SENT, part);
                span.set(Count.RECEIVED, part);
                span.receivingSeconds = length;
                span.costMessages = part;
                span.costSeconds = Math.max(1, length);
                span.times = measured;
            });
            its.confirms = true;
            its.receivingSeconds = seconds;
            its.groups = groups;
            its.broker = broker ? figures(slower) : null;
            its.health = health;
            its.versions = versions;
        });
    }

    private static @Nullable BrokerFigures figures(double slower) {
        return BrokerFigures.of(its -> {
            its.observed = "java (pid 4711)";
            its.seconds = 10;
            its.cpuSeconds = 6.25;
            its.cpuPercent = slower * 62.5;
            its.cpuPercentMax = 80;
            its.residentBytes = 500L << 20;
            its.residentBytesMax = 550L << 20;
            its.gcCount = 4;
            its.gcMillis = 48;
            its.depthMax = 900;
        });
    }
}
