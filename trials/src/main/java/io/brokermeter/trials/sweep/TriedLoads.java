package io.brokermeter.trials.sweep;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.brokermeter.analysis.limit.LimitAnswer.Strain;
import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.limit.LimitSearch.Outcome;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredTrial;
import io.brokermeter.reports.table.TableColumn;

/** What the trials of a search for a limit came to, by their files. */
final class TriedLoads {

    /** The conditions that every load must meet beside its goals. */
    static final String ALWAYS = "nothing lost or failed";
    static final String RATE_KEPT = "the rate kept";
    /** The share of all processors that other programs use from which on they can be why a goal was missed, in percent. */
    private static final double OTHERS = 25;

    private final LimitRequest request;
    private final Map<Path, Tried> known = new HashMap<>();

    TriedLoads(LimitRequest request) {
        this.request = request;
    }

    /** Returns what a trial came to; one that is done is read once, since its files do not change. */
    Tried of(StoredTrial trial) {
        return trial.isDone() ? known.computeIfAbsent(trial.directory(), _ -> read(trial)) : read(trial);
    }

    /** Returns the load of a trial, as its scenario file has it. */
    String load(StoredTrial trial) {
        return String.valueOf(trial.point().get(request.quantity().key()));
    }

    private Tried read(StoredTrial trial) {
        double load = LimitRequest.load(load(trial));
        StoredResult result = StoredRun.resultIn(trial.directory()).orElse(null);
        if (result == null) {
            return new Tried(trial.number(), load, Outcome.NOT_VALID, List.of(), trial.causes(), Double.NaN, Double.NaN, Double.NaN,
                Double.NaN, "response", Strain.UNKNOWN);
        }
        List<String> missed = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        result.thresholds().stream().filter(StoredResult.StoredThreshold::isMissed).forEach(one -> missed.add(one.expression()));
        result.findings().stream().filter(StoredResult.StoredFinding::failure).filter(finding -> !isAsked(finding)).forEach(finding -> {
            missed.add(finding.kind().equals(Finding.kind(Finding.RateMissed.class)) ? RATE_KEPT : ALWAYS);
            reasons.add(finding.sentence());
        });
        boolean rateMissed = result.isRateMissed();
        if (rateMissed) {
            missed.add(RATE_KEPT);
        }
        Long processors = StoredRun.read(trial.directory()).environment().machine().cpuCount();
        boolean starved = !missed.isEmpty() && isStarved(result, processors == null ? Double.NaN : processors);
        // A rate that was missed through the generator, and a goal that its stalls decide, say nothing about the broker.
        boolean valid = !result.isInvalid() && !starved && (missed.isEmpty() || !isOwnLimit(result));
        if (!valid || rateMissed) {
            reasons.addAll(result.doubts());
        }
        if (starved) {
            reasons.add("The broker waited for a processor longer than it had one, while other programs used them.");
        }
        Metric time = result.samples(Metric.RESPONSE) > 0 ? Metric.RESPONSE : Metric.SEND;
        return new Tried(trial.number(), load, !valid ? Outcome.NOT_VALID : missed.isEmpty() ? Outcome.HELD : Outcome.FAILED,
            missed.stream().distinct().toList(), reasons, (time == Metric.SEND ? TableColumn.SENT : TableColumn.RECEIVED).of(result),
            result.micros(time, "p50"),
            result.micros(time, "p99"), result.micros(time, "p99.9"), time.fileKey(),
            new Strain(
                result.broker().busiestThread(),
                result.broker().busiestThreadPercent(),
                result.broker().gcPauseMillis() / result.broker().seconds() / 10,
                result.generator().machineBusyPercent()));
    }

    /**
     * Returns whether other programs on the broker's machine took what it lacked: it waited for a processor longer than it had one, while they
     * used a quarter of all processors or more. False where that is not known, as of a broker on another machine.
     */
    static boolean isStarved(StoredResult result, double processors) {
        double broker = result.broker().cpuPercent();
        ResultDocument.Network network = result.document().network();
        double others = result.generator().machineBusyPercent()
            - (result.generator().cpuPercent() + broker + (network == null ? 0 : zeroIfUnknown(network.cpuPercent()))) / processors;
        return result.broker().waitingPercent() > broker && others >= OTHERS;
    }

    /** Returns whether the generator, or one of its threads, used all of what it may. */
    static boolean isOwnLimit(StoredResult result) {
        return result.findings().stream().map(StoredResult.StoredFinding::kind)
            .anyMatch(Set.of(Finding.kind(Finding.GeneratorBusy.class), Finding.kind(Finding.ThreadBusy.class))::contains);
    }

    private static double zeroIfUnknown(double number) {
        return Double.isFinite(number) ? number : 0;
    }

    /** Returns whether a goal of the user's own decides about what a failure is about. */
    private boolean isAsked(StoredResult.StoredFinding finding) {
        String kind = finding.kind().toLowerCase(Locale.ROOT);
        return request.goals().stream().map(goal -> goal.toLowerCase(Locale.ROOT)).anyMatch(goal -> kind.contains("failed")
            ? goal.startsWith("failed") || goal.startsWith("success")
            : (kind.contains("lost") || kind.contains("left") || kind.contains("undelivered")) && goal.startsWith("lost"));
    }
}
