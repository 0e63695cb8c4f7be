package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Confidence;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.scenario.Timing;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run as stored in its directory.
 *
 * @param values the whole of {@code result.json}, or one of its groups or phases, which have the same names
 */
public record StoredResult(Map<String, @Nullable Object> values) {

    /** The figures that a result has of each time: {@code mean}, {@code p50}, {@code p99.9} and so on, {@code max}. */
    public static final List<String> PARTS = Stream.of(Stream.of("mean"),
        Distribution.PERCENTILES.stream().map(percentile -> "p" + JsonReport.key(percentile)), Stream.of("max"))
        .flatMap(part -> part).toList();

    /** Key of what the generator's own stalls alone would have made of the percentiles of a time. */
    static final String OWN_STALLS = "ownStalls";
    /** Key of the names of the percentiles that these stalls explain. */
    static final String MARKED = "ownStallsExplain";

    /** Key of the time for which a phase received, in seconds. */
    static final String RECEIVING_SECONDS = "receivingSeconds";

    /** Reads the result in a run's directory; returns empty if the run did not come to its end, or its result cannot be read. */
    public static Optional<StoredResult> in(Path directory) {
        try {
            return Optional.of(new StoredResult(JsonText.read(Files.readString(directory.resolve(RunDirectory.RESULT)))));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns a text; empty if it is absent. */
    public String text(String name) {
        return values.get(name) instanceof String text ? text : "";
    }

    /** Returns a figure; NaN if it is absent or unknown. */
    public double number(ResultField field) {
        return number(values, field.path());
    }

    /** Returns the number at the end of a path of names; NaN if it is absent or unknown. */
    public double number(String... path) {
        return number(values, List.of(path));
    }

    /** Returns the number at the end of a path of names below a part of a result; NaN if it is absent or unknown. */
    public static double number(Map<?, ?> part, List<String> path) {
        Object at = part;
        for (String name : path) {
            at = at instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return at instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** Returns a figure of a time, one of {@link #PARTS}, in microseconds; NaN if it is absent or unknown. */
    public double micros(String time, String part) {
        return number("times", time, part + "Micros");
    }

    /** Returns a figure of a time that thresholds name, in microseconds; NaN if it is absent or unknown. */
    public double micros(Timing timing, String part) {
        return micros(ResultJson.key(Measurements.metric(timing)), part);
    }

    /**
     * Returns a figure of a time of everything that was sent and received after the warm-up, in microseconds, if none of it was due then,
     * so that {@link #micros(Timing, String)} has no value; NaN if some of it was, or the figure is unknown.
     */
    public double microsOfOverdueAlone(Timing timing, String part) {
        String time = ResultJson.key(Measurements.metric(timing));
        return samples(time) > 0 ? Double.NaN : number("timesWithOverdue", time, part + "Micros");
    }

    /**
     * Returns what the generator's own stalls alone would have made of a figure of a time, in microseconds; NaN if that is nothing, or
     * unknown, as in files of earlier versions.
     */
    public double ownMicros(String time, String part) {
        return number("times", time, OWN_STALLS, part + "Micros");
    }

    /** Returns the interval of a figure of a time, in microseconds. */
    public Confidence confidence(String time, String part) {
        return MarginJson.read(values, List.of("times", time, MarginJson.INTERVAL, part + "Micros"));
    }

    /** Returns the interval of a figure of a time that thresholds name, in microseconds. */
    public Confidence confidence(Timing timing, String part) {
        return confidence(ResultJson.key(Measurements.metric(timing)), part);
    }

    /** Returns the interval of a rate. */
    public Confidence confidence(ResultField rate) {
        return MarginJson.read(values, List.of(rate.path().getFirst(), MarginJson.INTERVAL, rate.fileKey()));
    }

    /** Returns whether the generator's own stalls explain a figure of a time, one of {@link #PARTS}. */
    public boolean isMarked(String time, String part) {
        return marked(time).contains(part);
    }

    /** Returns the figures of a time that the generator's own stalls explain, from the least percentile on. */
    public List<String> marked(String time) {
        return values.get("times") instanceof Map<?, ?> times && times.get(time) instanceof Map<?, ?> one
            && one.get(MARKED) instanceof List<?> parts ? parts.stream().map(String::valueOf).toList() : List.of();
    }

    /** Returns whether the run measured the generator and not the broker, or its thresholds cannot be judged. */
    public boolean isInvalid() {
        return "invalid".equals(values.get("verdict"));
    }

    /** Returns the number of messages that had a time; NaN if it was not measured. */
    public double samples(String time) {
        return number("times", time, "count");
    }

    public boolean success() {
        return Boolean.TRUE.equals(values.get("success"));
    }

    /**
     * Returns the deliveries per second in a phase. Deliveries while draining belong to the end of a phase, so its time of deliveries may
     * be longer than that of its sends; files of earlier versions have the latter alone. NaN if the phase was not reached, or its
     * deliveries are unknown.
     */
    public double phaseReceivedPerSecond() {
        double seconds = number("seconds");
        double receiving = number(RECEIVING_SECONDS);
        return seconds > 0 ? number("received") / (receiving > 0 ? receiving : seconds) : Double.NaN;
    }

    /** Returns whether the run had producers. */
    public boolean sends() {
        return Boolean.TRUE.equals(values.get("sends"));
    }

    /** Returns why the run failed, one sentence for each cause. */
    public List<String> causes() {
        return values.get("causes") instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
    }

    /** Returns the doubts about the generator's own part in the figures, one sentence each. */
    public List<String> doubts() {
        return values.get("health") instanceof Map<?, ?> health && health.get("reasons") instanceof List<?> list
            ? list.stream().map(String::valueOf).toList() : List.of();
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

        private static StoredFinding of(Map<String, @Nullable Object> map) {
            return new StoredFinding(String.valueOf(map.get("kind")), Boolean.TRUE.equals(map.get("failure")),
                String.valueOf(map.get("sentence")), map.get("agent") instanceof String agent ? agent : "",
                map.get("reason") instanceof Map<?, ?> reason && reason.get("blame") instanceof String blame ? blame : "");
        }

        private StoredFinding saying(String words) {
            return new StoredFinding(kind, failure, words, agent, blame);
        }
    }

    /** Returns the findings of the run; empty for a result of a version that did not write them. */
    public List<StoredFinding> findings() {
        return JsonText.maps(values.get("findings")).stream().map(StoredFinding::of).toList();
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
        return JsonText.maps(values.get("thresholds")).stream().map(map -> new StoredThreshold(String.valueOf(map.get("expression")),
            number(map, List.of("value")), String.valueOf(map.get("unit")), Boolean.TRUE.equals(map.get("passed")),
            !Boolean.FALSE.equals(map.get("judged")), String.valueOf(map.get("sentence")))).toList();
    }

    /** Returns whether the run missed no limit of a threshold that it could judge. */
    public boolean meetsThresholds() {
        return thresholds().stream().noneMatch(StoredThreshold::isMissed);
    }

    /** Returns the causes of failed sends, with the number of each. */
    public Map<String, Long> failureCauses() {
        Map<String, Long> causes = new LinkedHashMap<>();
        if (values.get("failureCauses") instanceof Map<?, ?> map) {
            map.forEach((cause, count) -> causes.put(String.valueOf(cause), count instanceof Number n ? n.longValue() : 0L));
        }
        return causes;
    }

    /** Returns the names of the groups of a kind, {@code producers} or {@code consumers}, in their order. */
    public List<String> groups(String kind) {
        return groups().stream().filter(group -> kind.equals(group.get("kind"))).map(group -> String.valueOf(group.get("name"))).toList();
    }

    /** Returns the groups as they were written. */
    public List<Map<String, @Nullable Object>> groups() {
        return JsonText.maps(values.get("groups"));
    }

    /** Returns the groups if there are several of a kind; otherwise none, since the figures of the run are theirs. */
    public List<Map<String, @Nullable Object>> severalGroups() {
        return groups("producers").size() > 1 || groups("consumers").size() > 1 ? groups() : List.of();
    }

    /** Returns a number of the group of a kind, {@code producers} or {@code consumers}, and name; NaN if there is none. */
    public double group(String kind, String name, String number) {
        return groups().stream().filter(group -> kind.equals(group.get("kind")) && name.equals(group.get("name"))).findFirst()
            .map(group -> number(group, List.of(number))).orElse(Double.NaN);
    }
}
