package io.brokermeter.reports.json;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.RecordForm;
import io.brokermeter.reports.document.ResultDocument;
import org.jspecify.annotations.Nullable;

/**
 * Makes the documents of the findings of a run: the kind, whether it failed the run, the sentence, the name of the agent that the finding
 * is about if there are several, and the components of the record under their names. Times of the type {@link Duration} are in seconds.
 */
public final class FindingJson {

    private FindingJson() {}

    static List<ResultDocument.FoundDocument> of(RunResult r, Sentences words) {
        List<Finding> findings = new ArrayList<>(r.failures());
        findings.addAll(r.health().verdict().reasons());
        List<String> sentences = words.of(findings);
        return IntStream.range(0, findings.size()).mapToObj(i -> of(findings.get(i), sentences.get(i))).toList();
    }

    private static ResultDocument.FoundDocument of(Finding finding, String sentence) {
        boolean failure = finding instanceof Finding.Failure;
        return finding instanceof Finding.DoubtOfAgent of
            ? new ResultDocument.FoundDocument(finding.kind(), failure, sentence, of.agent(), components((Record) of.what()))
            : new ResultDocument.FoundDocument(finding.kind(), failure, sentence, null, components((Record) finding));
    }

    /** Returns the components of a record under their names. */
    public static JsonObject components(Record record) {
        JsonObject components = new JsonObject();
        RecordForm.values(record).forEach((name, value) -> components.put(value instanceof Duration ? name + "Seconds" : name,
            value(value)));
        return components;
    }

    /** Returns the name of a constant in files, for example {@code slow-broker}. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static @Nullable Object value(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case Double number -> number(number, 6);
            case Integer number -> number.longValue();
            case Long number -> number;
            case Boolean flag -> flag;
            case Duration time -> number(time.toNanos() / 1e9, 3);
            case Map<?, ?> counts -> {
                JsonObject all = new JsonObject();
                counts.forEach((key, count) -> all.put(String.valueOf(key), ((Number) count).longValue()));
                yield all;
            }
            case Record part -> components(part);
            case Enum<?> constant -> word(constant);
            default -> value.toString();
        };
    }

    /** Returns a number as it is read from a file; null if it is unknown. */
    private static @Nullable Object number(double value, int decimals) {
        double rounded = DocumentJson.rounded(value, decimals);
        return Double.isNaN(rounded) ? null : rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15 ? (Object) (long) rounded : rounded;
    }
}
