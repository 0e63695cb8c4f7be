package io.brokermeter.cli.mcp;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.ComparisonJson;
import io.brokermeter.analysis.ComparisonText;
import io.brokermeter.analysis.ComparisonWords;
import io.brokermeter.analysis.SideReader;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.LimitDocument;
import io.brokermeter.reports.formats.RunMarkdown;
import io.brokermeter.reports.formats.SweepTables;
import io.brokermeter.reports.stored.Headline;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import org.jspecify.annotations.Nullable;

/**
 * What a call is told: a text for whoever reads it, and the same with all figures as an object.
 *
 * @param failed whether the call did not lead to a result
 */
record CallAnswer(String text, Map<String, ? extends @Nullable Object> structured, boolean failed) {

    private static final List<Metric> TIMES = List.of(Metric.RESPONSE, Metric.ROUND_TRIP, Metric.SEND);
    private static final List<String> PARTS = List.of("p50", "p99", "p99.9", "max");

    /** Returns the answer to a call that led to no result. */
    static CallAnswer failure(String sentence) {
        return new CallAnswer(sentence, Map.of(), true);
    }

    /**
     * Reads what a run or a sweep came to.
     *
     * @param question how a sweep of two variants is compared
     * @param note a sentence of the call itself; empty for none
     */
    static CallAnswer of(Path directory, Comparison.Question question, String note) throws IOException {
        if (!StoredSweep.isSweep(directory)) {
            return of(StoredRun.read(directory), note);
        }
        StoredSweep sweep = StoredSweep.read(directory);
        if (sweep.isPaired()) {
            return of(String.valueOf(directory.getFileName()),
                SideReader.compared(List.of(directory.toString()), _ -> List.of(directory), question), note);
        }
        LimitDocument limit = sweep.limit();
        List<String> sentences = new ArrayList<>();
        Stream.of(limit.sentence(), limit.ended(), limit.cause()).filter(one -> one != null && !one.isEmpty()).forEach(sentences::add);
        if (sentences.isEmpty()) {
            sentences.add(Headline.of(sweep));
        }
        return made(String.valueOf(directory.getFileName()), limit.isFound() ? Verdict.ANSWERED : Verdict.OPEN, sentences, note,
            "limit", DocumentJson.tree(limit), SweepTables.markdown(sweep));
    }

    private static CallAnswer of(StoredRun run, String note) {
        ResultWords words = new ResultWords(run.result());
        List<String> sentences = new ArrayList<>();
        if (!words.what().isEmpty()) {
            sentences.add(words.what());
        }
        sentences.addAll(words.reasons());
        if (words.reasons().isEmpty() && words.verdict() == Verdict.PASSED) {
            sentences.add(words.soundness());
        }
        sentences.addAll(times(run.result()));
        sentences.add(words.sent().isEmpty() ? "" : "sent " + words.sent());
        sentences.add(words.received().isEmpty() ? "" : "received " + words.received());
        sentences.add(words.ledger());
        return made(run.directoryName(), words.verdict(), sentences, note, "result", DocumentJson.tree(run.result().document()),
            RunMarkdown.of(run));
    }

    /** Returns a sentence for each time, whose percentiles have their intervals as far as there are any. */
    private static List<String> times(StoredResult result) {
        return TIMES.stream().filter(time -> result.samples(time) > 0).map(time -> time.words() + ": " + PARTS.stream()
            .map(part -> part + " " + Margin.time(result, time, part)).collect(Collectors.joining(", "))).toList();
    }

    private static CallAnswer made(String run, Verdict verdict, List<String> sentences, String note, String name,
            Map<String, ? extends @Nullable Object> document, String text) {
        JsonObject all = new JsonObject();
        all.put("run", run);
        all.put("verdict", verdict.title());
        all.put("sentences", with(sentences, note));
        all.put(name, document);
        return new CallAnswer(text + (note.isEmpty() ? "" : "\n" + note + "\n"), all, false);
    }

    private static List<String> with(List<String> sentences, String note) {
        return Stream.concat(sentences.stream(), Stream.of(note)).filter(sentence -> !sentence.isEmpty()).toList();
    }

    /** Returns the answer about comparisons. */
    static CallAnswer of(String run, List<Comparison> comparisons, String note) {
        if (comparisons.isEmpty()) {
            throw new UsageException("Both sides have no trials to compare.");
        }
        JsonObject all = new JsonObject();
        all.put("run", run);
        all.put("verdict", ComparisonJson.verdict(comparisons.getFirst()));
        List<String> sentences = new ArrayList<>();
        for (Comparison one : comparisons) {
            sentences.add(ComparisonWords.answer(one));
            sentences.addAll(ComparisonWords.notes(one));
        }
        all.put("sentences", with(sentences, note));
        all.put("comparisons", ComparisonJson.tree(comparisons, List.of()).get("comparisons"));
        return new CallAnswer(ComparisonText.markdown(comparisons) + (note.isEmpty() ? "" : "\n" + note + "\n"), all, false);
    }
}
