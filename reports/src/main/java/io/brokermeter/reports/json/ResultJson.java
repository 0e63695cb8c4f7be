package io.brokermeter.reports.json;

import static io.brokermeter.reports.document.DocumentJson.rounded;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HostEffects;
import io.brokermeter.engine.health.TickDelay;
import io.brokermeter.engine.recording.ConnectTimes;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Floors;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.WarmUp;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.Thresholds;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.ResultDocument;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Makes the document of a run's result, which its {@code result.json} contains and everything that people read is made of. */
public final class ResultJson {

    private ResultJson() {}

    /** Returns the result as readers of {@code result.json} see it, so that a run is shown alike whether its files are read or not. */
    public static StoredResult stored(RunResult r, RunShape shape) {
        return new StoredResult(document(r, shape, null));
    }

    /** @param end end of the other files of the run; null if they are complete */
    public static String text(RunResult r, RunShape shape, RunDirectory.@Nullable FilesEnd end) {
        return DocumentJson.text(document(r, shape, end)) + "\n";
    }

    /** @param end end of the other files of the run; null if they are complete */
    static ResultDocument document(RunResult r, RunShape shape, RunDirectory.@Nullable FilesEnd end) {
        Sentences words = shape.sentences();
        return new ResultDocument(RunDirectory.FORMAT, shape.id(), shape.what(), r.start().toString(), shape.seed(), r.success(),
            r.outcome().word(), r.isInvalid() ? "invalid" : r.success() ? "passed" : "failed", words.of(r.failures()),
            FindingJson.of(r, words),
            Thresholds.of(r), (long) r.signal(), r.drained(), (long) r.exitCode(shape.verdictFails()), shape.messageCount(),
            rounded(shape.duration().toNanos() / 1e9, 3), shape.sends(), shape.receives(), r.confirms(),
            ResultField.file(r, shape, "messages"), ResultField.file(r, shape, "bytes"), ResultField.file(r, shape, ""),
            new ResultDocument.Rates(ResultField.file(r, shape, "rates"), MarginJson.ofRates(r, shape, ResultField::fileKey)),
            warmUp(r.warmUp()), connects(r.connects()), r.failureCauses(), times(r.measured(), r),
            r.part().isOverdue() ? times(r.part().times()) : null, ledger(r, shape), ScorecardJson.of(r),
            r.groups().stream().map(ResultJson::group).toList(), r.phases().stream().map(ResultJson::phase).toList(),
            AgentsJson.of(r, words), BrokerJson.of(r), NetworkJson.of(r), health(r, words), r.versions(),
            end == null ? null : new ResultDocument.FilesEnd(rounded(end.elapsedSeconds(), 3), end.reason()));
    }

    /** Returns how a warm-up ended that lasted until the run had settled; null for any other. */
    private static ResultDocument.@Nullable WarmedUp warmUp(@Nullable WarmUp warmUp) {
        return warmUp == null ? null : new ResultDocument.WarmedUp(rounded(warmUp.seconds(), 3), rounded(warmUp.steadyFromSeconds(), 3),
            warmUp.settled(), warmUp.known());
    }

    private static ResultDocument.@Nullable Connects connects(@Nullable ConnectTimes connects) {
        if (connects == null) {
            return null;
        }
        Histogram times = connects.times();
        return new ResultDocument.Connects(rounded(connects.askedPerSecond(), 3), rounded(connects.count() / connects.seconds(), 3),
            connects.count(), connects.failedAttempts(), rounded(times.getMean() / 1e3, 3),
            rounded(times.getValueAtPercentile(50) / 1e3, 3),
            rounded(times.getValueAtPercentile(99) / 1e3, 3), rounded(times.getMaxValue() / 1e3, 3));
    }

    private static ResultDocument.@Nullable Balance ledger(RunResult r, RunShape shape) {
        LedgerReport ledger = shape.receives() ? r.ledger() : null;
        return ledger == null ? null : new ResultDocument.Balance(ResultField.file(r, shape, "ledger"), ledger.closes());
    }

    private static ResultDocument.Group group(GroupResult g) {
        return new ResultDocument.Group(g.name(), g.kind(), g.protocol(), g.publishesCounts(),
            ResultField.known(g.sent()), ResultField.known(g.completed()), ResultField.known(g.failed()), ResultField.known(g.received()),
            ResultField.others(g, _ -> true), rounded(g.messageSeconds(), 6), rounded(g.messagesPerSecond(), 3), times(g.measured()));
    }

    private static ResultDocument.Phase phase(PhaseResult p) {
        return new ResultDocument.Phase(p.name(), rounded(p.seconds(), 3), rounded(p.receivingSeconds(), 3), ResultField.known(p.sent()),
            ResultField.known(p.received()), ResultField.others(p, Count::isOfPhases), times(p.measured()));
    }

    private static ResultDocument.GeneratorUsage health(RunResult r, Sentences words) {
        Health h = r.health();
        HostEffects host = h.host();
        return new ResultDocument.GeneratorUsage(h.verdict().word(), words.of(h.verdict().reasons()), known(h.cpuSeconds(), 3),
            rounded(Health.cpuPercent(h.cpuSeconds(), r.part().costSeconds()), 4), ResultField.CPU_PER_MESSAGE.file(r),
            known(h.machineBusyPercent(), 2), known(h.stealPercent(), 2), h.gcPauses(), h.gcPauseMillis(), h.gcLongestPauseMillis(),
            known(h.hiccup999Millis(), 3), known(h.hiccupMaxMillis(), 3), known(h.lateness99Millis(), 3), tick(h.ticks()),
            known(h.achievedRatio(), 6),
            rounded(h.schedule().askedPerSecond(), 3), rounded(h.schedule().reachedPerSecond(), 3), known(host.waitingPercent(), 2),
            host.busiestThread(), known(host.busiestThreadPercent(), 2), known(host.throttledPercent(), 2), host.clockSource(),
            known(host.clockReadingNanos(), 1), known(host.clockAndWakeMicros(), 2), known(h.residentBytes(), 0));
    }

    private static ResultDocument.@Nullable Tick tick(TickDelay ticks) {
        return !ticks.isKnown() ? null : new ResultDocument.Tick(rounded(ticks.tickNanos() / 1e3, 3), rounded(ticks.meanNanos() / 1e3, 3),
            rounded(ticks.maxNanos() / 1e3, 3));
    }

    /** Returns a figure of {@link Health}, where -1 means unknown. */
    private static double known(double value, int decimals) {
        return value < 0 ? Double.NaN : rounded(value, decimals);
    }

    private static Map<String, ResultDocument.Times> times(Map<Metric, Distribution> all) {
        return times(all, null);
    }

    /** @param whole the run of which these are the times; null if they are those of a part of it */
    private static Map<String, ResultDocument.Times> times(Map<Metric, Distribution> all, @Nullable RunResult whole) {
        Map<String, ResultDocument.Times> times = new LinkedHashMap<>();
        all.forEach((metric, d) -> {
            if (d.count() > 0 || d.negative() > 0) {
                times.put(metric.fileKey(), times(metric, d, d.count() == 0 ? null : whole));
            }
        });
        return times;
    }

    private static ResultDocument.Times times(Metric metric, Distribution d, @Nullable RunResult whole) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("meanMicros", d.count() > 0 ? rounded(d.meanNanos() / 1e3, 3) : Double.NaN);
        for (double percentile : Distribution.PERCENTILES) {
            figures.put(part(percentile) + "Micros", d.supports(percentile) ? rounded(d.nanosAt(percentile) / 1e3, 3) : Double.NaN);
        }
        figures.put("maxMicros", d.count() > 0 ? rounded(d.maxNanos() / 1e3, 3) : Double.NaN);
        Map<String, Double> own = new LinkedHashMap<>();
        List<String> explained = new ArrayList<>();
        if (whole != null) {
            Floors floors = whole.floors();
            Stream.concat(Distribution.PERCENTILES.stream().filter(d::supports), Stream.of(100.0))
                .filter(percentile -> floors.nanos(metric, d, percentile) > 0).forEach(percentile -> {
                    own.put(part(percentile) + "Micros", rounded(floors.nanos(metric, d, percentile) / 1e3, 3));
                    if (floors.isMarked(metric, d, percentile)) {
                        explained.add(part(percentile));
                    }
                });
        }
        return new ResultDocument.Times(figures, d.count(), d.negative(), d.clamped(), JsonReport.fewSamples(d),
            whole == null ? Map.of() : MarginJson.ofTime(d, metric, whole.confidences(), percentile -> part(percentile) + "Micros"), own,
            explained);
    }

    private static String part(double percentile) {
        return percentile == 100 ? "max" : "p" + JsonReport.key(percentile);
    }
}
