package io.brokermeter.trials.selftest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import org.jspecify.annotations.Nullable;

/**
 * What this machine was like in its last self-test, in figures that every run has as well.
 *
 * @param time when that was
 * @param stallsPerSecond how often a thread that naps for 1 ms again and again woke more than 1 ms late, a second
 * @param othersPercent what other programs used of the processors; -1 if unknown
 * @param clockReadingNanos time that a reading of the clock takes; -1 if unknown
 */
public record Baseline(Instant time, double stallsPerSecond, double othersPercent, double clockReadingNanos) {

    /** The length beyond which a late wake-up counts, in milliseconds. */
    private static final double LATE_MILLIS = 1;
    /** By how much more often threads must wake late; the same machine differs by a factor of three from hour to hour. */
    private static final double TIMES_MORE = 10;
    /** The smallest number of late wake-ups a second, and of a run, that are worth a sentence. */
    private static final double LEAST_PER_SECOND = 2;
    private static final double LEAST_IN_RUN = 20;
    /** What a run and its broker may use of the processors: more of it makes threads wait on any machine. */
    private static final double MOST_OWN_PERCENT = 25;
    private static final double TIMES_SLOWER = 5;

    /** Returns how often threads of a run woke late, a second. */
    static double stallsPerSecond(Health health) {
        return health.stalls().levels().stream().filter(level -> level.aboveMillis() > LATE_MILLIS * 0.99).findFirst()
            .map(level -> level.perSecond()).orElse(0.0);
    }

    /** Returns in what this machine was worse in a run than it was then; nothing where the run and its broker may be the reason. */
    List<Finding.Notice> worse(RunResult run) {
        List<Finding.Notice> all = new ArrayList<>();
        Health health = run.health();
        double reading = health.host().clockReadingNanos();
        if (clockReadingNanos > 0 && reading > TIMES_SLOWER * clockReadingNanos) {
            all.add(new Finding.ClockSlower(reading, clockReadingNanos, date()));
        }
        double seconds = run.part().costSeconds();
        double stalls = stallsPerSecond(health);
        double own = usedPercent(health.cpuSeconds(), seconds) + usedByBroker(run.broker());
        double others = health.machineBusyPercent() - own;
        // A broker that nobody watches is one of the others.
        boolean known = own >= 0 && own <= MOST_OWN_PERCENT && (run.broker() != null || others <= MOST_OWN_PERCENT);
        if (known && stalls > Math.max(LEAST_PER_SECOND, TIMES_MORE * stallsPerSecond) && stalls * seconds >= LEAST_IN_RUN) {
            all.add(new Finding.WakesLater(stalls, stallsPerSecond, Math.max(0, others), othersPercent, date()));
        }
        return all;
    }

    private static double usedByBroker(@Nullable BrokerFigures broker) {
        double cpu = broker == null ? 0 : broker.localCpuSeconds();
        return broker == null || Double.isNaN(cpu) ? 0 : usedPercent(cpu, broker.seconds());
    }

    static double usedPercent(double cpuSeconds, double seconds) {
        return seconds > 0 ? 100 * cpuSeconds / seconds / Runtime.getRuntime().availableProcessors() : Double.NaN;
    }

    private String date() {
        return time.toString().substring(0, "2026-01-02".length());
    }

    /** This baseline as files have it. */
    record Kept(String time, double stallsPerSecond, double othersPercent, double clockReadingNanos) {}

    /** What this class reads of a {@link SelfTestReport}. */
    private record Report(Kept baseline) {}

    Kept kept() {
        return new Kept(time.toString(), stallsPerSecond, othersPercent, clockReadingNanos);
    }

    private static Path directory(Map<String, String> environment) {
        return RunStore.of(environment).root().resolveSibling("selftest");
    }

    /**
     * Returns the name of the file of this machine in the directory of a user's self-tests, since several machines may share a home. It does
     * not give away the machine's id.
     */
    private static String name() {
        EnvironmentDocument.Machine machine = RunEnvironment.now("").document().machine();
        String id = machine.cpuModel() + " " + machine.cpuCount();
        try {
            id += Files.readString(Path.of("/etc/machine-id"));
        } catch (IOException e) {
            // Not every machine has one.
        }
        return UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)) + ".json";
    }

    /** Keeps a report in place of the one before, and returns its file. */
    public static Path keep(SelfTestReport report, Map<String, String> environment) throws IOException {
        Path directory = PrivateFiles.directories(directory(environment));
        Path written = PrivateFiles.file(directory.resolve(name() + "." + ProcessHandle.current().pid()));
        Files.writeString(written, report.json());
        return Files.move(written, directory.resolve(name()), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns what the last self-test of this machine left; null if there is none that can be read. */
    static @Nullable Baseline kept(Map<String, String> environment) {
        try {
            Path file = directory(environment).resolve(name());
            if (!Files.exists(file)) {
                return null;
            }
            Kept its = DocumentJson.read(Report.class, Files.readString(file)).baseline();
            return new Baseline(Instant.parse(its.time), its.stallsPerSecond, its.othersPercent, its.clockReadingNanos);
        } catch (IOException | IllegalArgumentException | DateTimeParseException e) {
            return null;
        }
    }

    /** Returns an observer that also tells {@code observer} in what this machine was worse in the run than in its last self-test. */
    public static RunObserver telling(RunObserver observer, Map<String, String> environment) {
        return new RunObserver() {
            @Override
            public void interval(Interval interval) throws Exception {
                observer.interval(interval);
            }

            @Override
            public void event(Event event) throws Exception {
                observer.event(event);
            }

            @Override
            public void finished(RunResult result) throws Exception {
                // Not before the run, whose first message would wait for it.
                Baseline then = kept(environment);
                for (Finding.Notice notice : then == null ? List.<Finding.Notice>of() : then.worse(result)) {
                    observer.event(new Event(result.elapsed().toNanos(), Event.Kind.NOTICE, notice));
                }
                observer.finished(result);
            }

            @Override
            public void close() throws Exception {
                observer.close();
            }
        };
    }
}
