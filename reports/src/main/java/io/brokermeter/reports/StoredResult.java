package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Measurements;
import io.brokermeter.engine.scenario.Timing;
import org.jspecify.annotations.Nullable;

/**
 * A result as a run left it in its directory.
 *
 * @param values the whole of {@code result.json}, or one of its groups or phases, which have the same names
 */
public record StoredResult(Map<String, @Nullable Object> values) {

    /** What a result has of each time: {@code mean}, {@code p50}, {@code p99.9} and so on, {@code max}. */
    public static final List<String> PARTS = Stream.of(Stream.of("mean"),
        Distribution.PERCENTILES.stream().map(percentile -> "p" + JsonReport.key(percentile)), Stream.of("max"))
        .flatMap(part -> part).toList();

    /** How long a phase received. */
    static final String RECEIVING_SECONDS = "receivingSeconds";

    /** The result in a run's directory; empty when that run did not come to its end. */
    public static Optional<StoredResult> in(Path directory) {
        try {
            return Optional.of(new StoredResult(JsonText.read(Files.readString(directory.resolve(RunDirectory.RESULT)))));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** A text, empty when it is not there. */
    public String text(String name) {
        return values.get(name) instanceof String text ? text : "";
    }

    /** A figure; NaN when it is not there or not known. */
    public double number(ResultField field) {
        return number(values, field.path());
    }

    /** The number at the end of a path of names, NaN when it is not there or not known. */
    public double number(String... path) {
        return number(values, List.of(path));
    }

    /** The same below a part of a result. */
    public static double number(Map<?, ?> part, List<String> path) {
        Object at = part;
        for (String name : path) {
            at = at instanceof Map<?, ?> map ? map.get(name) : null;
        }
        return at instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** A part of a time in microseconds, one of {@link #PARTS}; NaN when it is not there or not known. */
    public double micros(String time, String part) {
        return number("times", time, part + "Micros");
    }

    /** The same of a time that thresholds name. */
    public double micros(Timing timing, String part) {
        return micros(ResultJson.key(Measurements.metric(timing)), part);
    }

    /**
     * A part of a time of everything that was sent and received after the warm-up, in microseconds, where none of it was due then, so that
     * {@link #micros(Timing, String)} knows none; NaN where some of it was, or that is not known.
     */
    public double microsOfOverdueAlone(Timing timing, String part) {
        String time = ResultJson.key(Measurements.metric(timing));
        return samples(time) > 0 ? Double.NaN : number("timesWithOverdue", time, part + "Micros");
    }

    /** How many messages had a time; NaN where it was not measured. */
    public double samples(String time) {
        return number("times", time, "count");
    }

    public boolean success() {
        return Boolean.TRUE.equals(values.get("success"));
    }

    /**
     * Deliveries a second in a phase. Those of the drain belong to its end, so their time may be longer than that of its sends; files of earlier versions
     * have the latter alone. NaN where the phase was not reached, or they are not known.
     */
    public double phaseReceivedPerSecond() {
        double seconds = number("seconds");
        double receiving = number(RECEIVING_SECONDS);
        return seconds > 0 ? number("received") / (receiving > 0 ? receiving : seconds) : Double.NaN;
    }

    /** Whether the run had producers. */
    public boolean sends() {
        return Boolean.TRUE.equals(values.get("sends"));
    }

    /** Why it failed, one sentence each. */
    public List<String> causes() {
        return values.get("causes") instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
    }

    /** What speaks against the generator's own part in the figures, one sentence each. */
    public List<String> doubts() {
        return values.get("health") instanceof Map<?, ?> health && health.get("reasons") instanceof List<?> list
            ? list.stream().map(String::valueOf).toList() : List.of();
    }

    /**
     * A finding of the run.
     *
     * @param kind its kind, as {@link io.brokermeter.engine.finding.Finding#kind} names it
     * @param failure whether it made the run fail
     */
    public record StoredFinding(String kind, boolean failure, String sentence) {}

    /** What the run found out about itself; empty for a result of a version that did not write it. */
    public List<StoredFinding> findings() {
        return JsonText.maps(values.get("findings")).stream().map(map -> new StoredFinding(String.valueOf(map.get("kind")),
            Boolean.TRUE.equals(map.get("failure")), String.valueOf(map.get("sentence")))).toList();
    }

    /** {@link #causes} as findings; the kind of one that no finding tells is its sentence. */
    public List<StoredFinding> failureFindings() {
        return findings(causes(), true);
    }

    /** {@link #doubts} as findings; the kind of one that no finding tells is its sentence. */
    public List<StoredFinding> doubtFindings() {
        return findings(doubts(), false);
    }

    /** The lists have one order. A sentence may stand with fewer words among all findings, where one before it has said the rest. */
    private List<StoredFinding> findings(List<String> sentences, boolean failure) {
        List<StoredFinding> known = findings().stream().filter(finding -> finding.failure() == failure).toList();
        boolean told = known.size() == sentences.size();
        return IntStream.range(0, sentences.size())
            .mapToObj(i -> new StoredFinding(told ? known.get(i).kind() : sentences.get(i), failure, sentences.get(i))).toList();
    }

    /**
     * What the run came to beside a threshold.
     *
     * @param value in its unit, NaN where it is not known
     * @param unit as files name it
     * @param sentence the expression with the value, or why there is none
     */
    public record StoredThreshold(String expression, double value, String unit, boolean passed, String sentence) {}

    /** Its thresholds, in their order. */
    public List<StoredThreshold> thresholds() {
        return JsonText.maps(values.get("thresholds")).stream().map(map -> new StoredThreshold(String.valueOf(map.get("expression")),
            number(map, List.of("value")), String.valueOf(map.get("unit")), Boolean.TRUE.equals(map.get("passed")),
            String.valueOf(map.get("sentence")))).toList();
    }

    /** Whether it kept the limit of each threshold. */
    public boolean meetsThresholds() {
        return thresholds().stream().allMatch(StoredThreshold::passed);
    }

    /** Why sends failed, with how often. */
    public Map<String, Long> failureCauses() {
        Map<String, Long> causes = new LinkedHashMap<>();
        if (values.get("failureCauses") instanceof Map<?, ?> map) {
            map.forEach((cause, count) -> causes.put(String.valueOf(cause), count instanceof Number n ? n.longValue() : 0L));
        }
        return causes;
    }

    /** Names of the groups of a kind, {@code producers} or {@code consumers}, in their order. */
    public List<String> groups(String kind) {
        return groups().stream().filter(group -> kind.equals(group.get("kind"))).map(group -> String.valueOf(group.get("name"))).toList();
    }

    /** The groups as they were written. */
    public List<Map<String, @Nullable Object>> groups() {
        return JsonText.maps(values.get("groups"));
    }

    /** The groups, where there are several of a kind; else none, since the figures of the run are theirs. */
    public List<Map<String, @Nullable Object>> severalGroups() {
        return groups("producers").size() > 1 || groups("consumers").size() > 1 ? groups() : List.of();
    }

    /** The number of a group of that kind, {@code producers} or {@code consumers}, and name, NaN when there is none. */
    public double group(String kind, String name, String number) {
        return groups().stream().filter(group -> kind.equals(group.get("kind")) && name.equals(group.get("name"))).findFirst()
            .map(group -> number(group, List.of(number))).orElse(Double.NaN);
    }
}
