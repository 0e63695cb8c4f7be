package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.ResultDocument;
import io.brokermeter.reports.document.ResultDocument.BrokerUsage;
import io.brokermeter.reports.document.ResultDocument.GeneratorUsage;
import io.brokermeter.reports.document.ResultDocument.Group;
import io.brokermeter.reports.document.ResultDocument.Phase;
import io.brokermeter.reports.document.ResultDocument.Times;
import io.brokermeter.reports.json.FindingJson;
import io.brokermeter.reports.json.JsonReport;
import io.brokermeter.reports.json.MarginJson;

/** The result of a run as readers see it: the document with what follows from it. */
public record StoredResult(ResultDocument document) {

    /** The figures that a result has of each time: {@code mean}, {@code p50}, {@code p99.9} and so on, {@code max}. */
    public static final List<String> PARTS = Stream.of(Stream.of("mean"),
        Distribution.PERCENTILES.stream().map(percentile -> "p" + JsonReport.key(percentile)), Stream.of("max"))
        .flatMap(part -> part).toList();

    /** Makes the result of the object that a {@code result.json} contains. */
    public static StoredResult of(Map<String, ?> values) {
        return new StoredResult(DocumentJson.read(ResultDocument.class, values));
    }

    /** Reads the result in a run's directory; returns empty if the run did not come to its end, or its result cannot be read. */
    public static Optional<StoredResult> in(Path directory) {
        try {
            return Optional.of(
                new StoredResult(DocumentJson.read(ResultDocument.class, Files.readString(directory.resolve(RunDirectory.RESULT)))));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the times of a phase as a result of their own, whose columns tables have. */
    public static StoredResult timesOf(Phase phase) {
        return of(Map.of("times", DocumentJson.tree(phase).getOrDefault("times", Map.of())));
    }

    /** Returns a figure; NaN if it is absent or unknown. */
    public double number(ResultField field) {
        return field.of(document);
    }

    public GeneratorUsage generator() {
        return document.health();
    }

    /** Returns the figures of the broker, all unknown if it was not observed. */
    public BrokerUsage broker() {
        BrokerUsage broker = document.broker();
        return broker == null ? DocumentJson.empty(BrokerUsage.class) : broker;
    }

    /** Returns the version of the broker; empty if it is unknown. */
    public String brokerVersion() {
        return document.versions().getOrDefault("broker", "");
    }

    /** Returns whether the run came out so. */
    public boolean is(RunOutcome outcome) {
        return outcome.word().equals(document.result());
    }

    /** Returns whether all else was in order, but the asked rate was not reached. */
    public boolean isRateMissed() {
        return is(RunOutcome.RATE_MISSED);
    }

    /** Returns a figure of a time, one of {@link #PARTS}, in microseconds; NaN if it is absent or unknown. */
    public double micros(Metric time, String part) {
        return micros(document.times(), time, part);
    }

    /** Returns a figure of one of some times, as {@link #micros(Metric, String)} does. */
    public static double micros(Map<String, Times> times, Metric time, String part) {
        Times one = times.get(time.fileKey());
        return one == null ? Double.NaN : one.figures().getOrDefault(part + "Micros", Double.NaN);
    }

    /**
     * Returns a figure of a time of everything that was sent and received after the warm-up, in microseconds, if none of it was due then,
     * so that {@link #micros(Metric, String)} has no value; NaN if some of it was, or the figure is unknown.
     */
    public double microsOfOverdueAlone(Metric time, String part) {
        Map<String, Times> all = document.timesWithOverdue();
        return all == null || samples(time) > 0 ? Double.NaN : micros(all, time, part);
    }

    /**
     * Returns what the generator's own stalls alone would have made of a figure of a time, in microseconds; NaN if that is nothing, or
     * unknown, as in files of earlier versions.
     */
    public double ownMicros(Metric time, String part) {
        Times one = document.times().get(time.fileKey());
        return one == null ? Double.NaN : one.ownStalls().getOrDefault(part + "Micros", Double.NaN);
    }

    /** Returns the interval of a figure of a time, in microseconds. */
    public Confidence confidence(Metric time, String part) {
        Times one = document.times().get(time.fileKey());
        return one == null ? Confidence.UNKNOWN : MarginJson.of(one.interval95(), part + "Micros");
    }

    /** Returns the interval of a rate. */
    public Confidence confidence(ResultField rate) {
        return MarginJson.of(document.rates().interval95(), rate.fileKey());
    }

    /** Returns whether the generator's own stalls explain a figure of a time, one of {@link #PARTS}. */
    public boolean isMarked(Metric time, String part) {
        return marked(time).contains(part);
    }

    /** Returns the figures of a time that the generator's own stalls explain, from the least percentile on. */
    public List<String> marked(Metric time) {
        Times one = document.times().get(time.fileKey());
        return one == null ? List.of() : one.ownStallsExplain();
    }

    /** Returns whether the run measured the generator and not the broker, or its thresholds cannot be judged. */
    public boolean isInvalid() {
        return "invalid".equals(document.verdict());
    }

    /** Returns the number of messages that had a time; NaN if it was not measured. */
    public double samples(Metric time) {
        return samples(document.times(), time);
    }

    /** Returns the number of messages that had one of some times; NaN if it was not measured. */
    public static double samples(Map<String, Times> times, Metric time) {
        Times one = times.get(time.fileKey());
        return one == null ? Double.NaN : one.count();
    }

    public boolean success() {
        return document.success();
    }

    /** Returns the signal that ended the run; 0 if none did. */
    public int signal() {
        Long signal = document.signal();
        return signal == null ? 0 : signal.intValue();
    }

    /** Returns whether the run had producers. */
    public boolean sends() {
        return document.sends();
    }

    /** Returns whether the broker is known to confirm no sends. */
    public boolean isUnconfirmed() {
        return Boolean.FALSE.equals(document.sendsConfirmed());
    }

    /** Returns why the run failed, one sentence for each cause. */
    public List<String> causes() {
        return document.causes();
    }

    /** Returns the doubts about the generator's own part in the figures, one sentence each. */
    public List<String> doubts() {
        return document.health().reasons();
    }

    /**
     * A finding of the run.
     *
     * @param kind name of its kind, as {@link io.brokermeter.engine.finding.Finding#kind} returns it
     * @param failure whether the finding made the run fail
     * @param agent name of the one of several agents that it is about; empty if it is about the run
     * @param blame name of the cause in its reason, as in files; empty for none
     */
    public record StoredFinding(String kind, boolean failure, String sentence, String agent, String blame) {

        private static StoredFinding of(ResultDocument.FoundDocument found) {
            return new StoredFinding(found.kind(), found.failure(), found.sentence(), found.agent() == null ? "" : found.agent(),
                found.more().get("reason") instanceof Map<?, ?> reason && reason.get("blame") instanceof String blame ? blame : "");
        }

        private StoredFinding saying(String words) {
            return new StoredFinding(kind, failure, words, agent, blame);
        }
    }

    /** Returns the findings of the run; empty for a result of a version that did not write them. */
    public List<StoredFinding> findings() {
        return document.findings().stream().map(StoredFinding::of).toList();
    }

    /** Returns whether a doubt speaks against the generator or its machine, and not against the broker, the network or the scenario. */
    public boolean isGeneratorDoubted() {
        List<StoredFinding> doubts = doubtFindings();
        return doubts.stream().filter(doubt -> !doubt.kind().equals(Finding.kind(Finding.ColdStart.class)))
            .anyMatch(doubt -> !has(doubt, doubts, blame -> !blame.isOfGenerator()));
    }

    /** Returns the doubts about the figures of a fault: all of them but those about a slow or lost broker, which the fault itself causes. */
    public List<StoredFinding> doubtsBesideFault() {
        List<StoredFinding> doubts = doubtFindings();
        return doubts.stream().filter(doubt -> !has(doubt, doubts, Finding.Blame::isOfBroker)).toList();
    }

    /** Returns whether the cause of a doubt is one of some; a doubt without a cause may have that of another one among all. */
    private static boolean has(StoredFinding doubt, List<StoredFinding> all, Predicate<Finding.Blame> some) {
        // Of several agents that have a doubt of one kind, the run has that of one.
        String blame = !doubt.kind().equals(Finding.kind(Finding.MostlyDelay.class)) || !doubt.blame().isEmpty() ? doubt.blame()
            : all.stream().filter(one -> one.kind().equals(Finding.kind(Finding.NotSentInTime.class)))
                .max(Comparator.comparing(one -> one.agent().equals(doubt.agent()))).map(StoredFinding::blame).orElse("");
        return Arrays.stream(Finding.Blame.values()).filter(some).anyMatch(one -> FindingJson.word(one).equals(blame));
    }

    /** Returns {@link #causes} as findings; a cause without a finding has its sentence as its kind. */
    public List<StoredFinding> failureFindings() {
        return findings(causes(), true);
    }

    /** Returns {@link #doubts} as findings; a doubt without a finding has its sentence as its kind. */
    public List<StoredFinding> doubtFindings() {
        return findings(doubts(), false);
    }

    /**
     * Matches sentences with findings by their order, which is the same. A sentence among all findings may be shorter, if one before
     * it has said the rest.
     */
    private List<StoredFinding> findings(List<String> sentences, boolean failure) {
        List<StoredFinding> known = findings().stream().filter(finding -> finding.failure() == failure).toList();
        boolean told = known.size() == sentences.size();
        return IntStream.range(0, sentences.size()).mapToObj(i -> told ? known.get(i).saying(sentences.get(i))
            : new StoredFinding(sentences.get(i), failure, sentences.get(i), "", "")).toList();
    }

    /**
     * The value of a run beside a threshold.
     *
     * @param value in its unit; NaN if it is unknown
     * @param unit name of the unit in files
     * @param judged whether that says something about the broker, and not about the generator
     * @param sentence the expression with the value, or why there is no value
     */
    public record StoredThreshold(String expression, double value, String unit, boolean passed, boolean judged, String sentence) {

        /** Returns {@code kept}, {@code missed} or {@code not judged}. */
        public String word() {
            return !judged ? "not judged" : passed ? "kept" : "missed";
        }

        /** Returns whether the limit was not kept, and the broker was measured. */
        public boolean isMissed() {
            return judged && !passed;
        }
    }

    /** Returns the thresholds of the run, in their order. */
    public List<StoredThreshold> thresholds() {
        return document.thresholds().stream().map(one -> new StoredThreshold(one.expression(), one.value(), one.unit(), one.passed(),
            !Boolean.FALSE.equals(one.judged()), one.sentence())).toList();
    }

    /** Returns whether the run missed no limit of a threshold that it could judge. */
    public boolean meetsThresholds() {
        return thresholds().stream().noneMatch(StoredThreshold::isMissed);
    }

    /** Returns the names of the groups of producers or of consumers, in their order. */
    public List<String> groups(boolean producing) {
        return document.groups().stream().filter(group -> group.isProducing() == producing).map(Group::name).toList();
    }

    /** Returns the groups if there are several of a kind; otherwise none, since the figures of the run are theirs. */
    public List<Group> severalGroups() {
        return groups(true).size() > 1 || groups(false).size() > 1 ? document.groups() : List.of();
    }
}
