package io.brokermeter.reports;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.RunResult;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the findings of a run as JSON objects: the kind, whether it failed the run, the sentence, the name of the agent that the finding
 * is about if there are several, and the components of the record under their names. Times of the type {@link Duration} are in seconds.
 */
final class FindingJson {

    private FindingJson() {}

    static void write(JsonGenerator json, RunResult r, Sentences words) {
        List<Finding> findings = new ArrayList<>(r.failures());
        findings.addAll(r.health().verdict().reasons());
        List<String> sentences = words.of(findings);
        json.writeArrayPropertyStart("findings");
        for (int i = 0; i < findings.size(); i++) {
            Finding finding = findings.get(i);
            json.writeStartObject();
            json.writeStringProperty("kind", finding.kind());
            json.writeBooleanProperty("failure", finding instanceof Finding.Failure);
            json.writeStringProperty("sentence", sentences.get(i));
            if (finding instanceof Finding.DoubtOfAgent of) {
                json.writeStringProperty("agent", of.agent());
                finding = of.what();
            }
            components(json, (Record) finding);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Writes the components of a record under their names. */
    static void components(JsonGenerator json, Record record) {
        JsonText.components(record).forEach((name, value) -> value(json, name, value));
    }

    /** Returns the name of a constant in files, for example {@code slow-broker}. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void value(JsonGenerator json, String name, @Nullable Object value) {
        switch (value) {
            case null -> json.writeNullProperty(name);
            case Double number -> JsonReport.number(json, name, number, 6);
            case Integer number -> json.writeNumberProperty(name, number);
            case Long number -> json.writeNumberProperty(name, number);
            case Boolean flag -> json.writeBooleanProperty(name, flag);
            case Duration time -> JsonReport.number(json, name + "Seconds", time.toNanos() / 1e9, 3);
            case Map<?, ?> counts -> JsonText.object(json, name,
                () -> counts.forEach((key, count) -> json.writeNumberProperty(String.valueOf(key), ((Number) count).longValue())));
            case Record part -> JsonText.object(json, name, () -> components(json, part));
            case Enum<?> constant -> json.writeStringProperty(name, word(constant));
            default -> json.writeStringProperty(name, value.toString());
        }
    }
}
