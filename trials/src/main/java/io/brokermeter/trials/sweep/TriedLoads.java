package io.brokermeter.trials.sweep;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.analysis.limit.LimitAnswer.Strain;
import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.limit.LimitSearch.Outcome;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Measure;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.json.FindingJson;
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
    /** The failures that are not the broker's. */
    private static final Set<String> OWN = Stream.of(Finding.AgentLost.class, Finding.AgentFailed.class, Finding.FaultFailed.class)
        .map(Finding::kind).collect(Collectors.toSet());
    private static final Set<String> OWN_STEPS =
        Stream.of(Finding.Step.WRITE_REPORT, Finding.Step.FINISH_REPORT, Finding.Step.SENDING_THREAD)
            .map(FindingJson::word).collect(Collectors.toSet());

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
        Said said = said(result, request.goals());
        List<String> missed = said.missed();
        List<String> reasons = new ArrayList<>(said.reasons());
        Long processors = StoredRun.read(trial.directory()).environment().machine().cpuCount();
        boolean starved = !missed.isEmpty() && isStarved(result, processors == null ? Double.NaN : processors);
        // A rate that was missed through the generator, and a goal that its stalls decide, say nothing about the broker.
        boolean valid = said.ofTheBroker() && !result.isInvalid() && !starved && (missed.isEmpty() || !isOwnLimit(result));
        if (!valid || result.isRateMissed()) {
            reasons.addAll(result.doubts());
        }
        if (starved) {
            reasons.add("The broker waited for a processor longer than it had one, while other programs used them.");
        }
        Metric time = result.samples(Metric.RESPONSE) > 0 ? Metric.RESPONSE : Metric.SEND;
        return new Tried(trial.number(), load, !valid ? Outcome.NOT_VALID : missed.isEmpty() ? Outcome.HELD : Outcome.FAILED,
            missed, reasons, (time == Metric.SEND ? TableColumn.SENT : TableColumn.RECEIVED).of(result),
            result.micros(time, "p50"),
            result.micros(time, "p99"), result.micros(time, "p99.9"), time.fileKey(),
            new Strain(
                result.broker().busiestThread(),
                result.broker().busiestThreadPercent(),
                result.broker().gcPauseMillis() / result.broker().seconds() / 10,
                result.generator().machineBusyPercent()));
    }

    /**
     * What the thresholds and failures of a trial say.
     *
     * @param missed the goals that were missed, each once
     * @param reasons the sentences behind them, or why the trial says nothing
     * @param ofTheBroker whether that is about the broker; false where the tool's own side failed, or all that is amiss is a figure without
     *     a value
     */
    record Said(List<String> missed, List<String> reasons, boolean ofTheBroker) {}

    /** Returns what a trial with some goals says. */
    static Said said(StoredResult result, List<String> goals) {
        Set<String> missed = new LinkedHashSet<>();
        List<String> unknown = new ArrayList<>();
        for (ResultDocument.LimitDocument one : result.document().thresholds()) {
            if (one.passed() || Boolean.FALSE.equals(one.judged())) {
                continue;
            }
            if (one.ended() || !Double.isNaN(one.value())) {
                missed.add(one.expression());
            } else {
                unknown.add("Not judged: " + one.sentence()
                    + (one.unit().equals(Quantity.Unit.MICROS.suffix()) ? "; a longer --duration or a greater --start gives more." : "."));
            }
        }
        List<String> own = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        Set<String> asked = goals.stream().map(Threshold::parse).filter(goal -> goal.phase() == null).map(goal -> goal.figure().key())
            .collect(Collectors.toSet());
        for (ResultDocument.FoundDocument finding : result.document().findings()) {
            if (!finding.failure() || isAsked(finding.kind(), asked)) {
                continue;
            }
            if (isOwn(finding)) {
                own.add(finding.sentence());
            } else {
                missed.add(finding.kind().equals(Finding.kind(Finding.RateMissed.class)) ? RATE_KEPT : ALWAYS);
                reasons.add(finding.sentence());
            }
        }
        if (result.isRateMissed()) {
            missed.add(RATE_KEPT);
        }
        return !own.isEmpty() ? new Said(List.copyOf(missed), own, false)
            : missed.isEmpty() && !unknown.isEmpty() ? new Said(List.of(), unknown, false)
                : new Said(List.copyOf(missed), reasons, true);
    }

    /** Returns whether a failure is one of the generator, its agents or its disk. */
    private static boolean isOwn(ResultDocument.FoundDocument finding) {
        return OWN.contains(finding.kind()) || finding.kind().equals(Finding.kind(Finding.Broken.class))
            && OWN_STEPS.contains(String.valueOf(finding.more().get("step")));
    }

    /** Returns whether a goal of the user's own decides about what a failure is about: one on the figure of the same name. */
    private static boolean isAsked(String kind, Set<String> figures) {
        return figures.contains(kind) || kind.equals(Finding.kind(Finding.SendsFailed.class))
            && (figures.contains(Count.FAILED.key()) || figures.contains(Measure.SUCCESS_PERCENT.key()));
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
}
