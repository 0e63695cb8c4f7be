package io.brokermeter.analysis;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import io.brokermeter.analysis.statistics.ChangePoints;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;

/** Formats histories for a terminal, as Markdown, and as JSON. */
public final class HistoryText {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneOffset.UTC);
    private static final int BAR = 20;
    private static final int FORMAT = 1;

    private HistoryText() {}

    /** Returns one sentence for each change, the newest first. */
    public static List<String> sentences(History history) {
        String heading = history.figure().heading();
        int count = history.points().size();
        List<String> all = new ArrayList<>();
        if (!history.isLongEnough()) {
            all.add("Cannot tell whether " + heading + " has changed: there " + (count == 1 ? "is 1 run" : "are " + count + " runs")
                + " of this, and "
                + ChangePoints.FEWEST + " are needed.");
            return all;
        }
        for (int i = history.levels().size() - 1; i > 0; i--) {
            History.Level level = history.levels().get(i);
            History.Level before = history.levels().get(i - 1);
            History.Point first = history.points().get(level.from());
            ComparedFigure.Kind kind = history.figure().kind();
            RatioVerdict verdict = level.verdict();
            String judged = kind.isBetter(verdict) ? "Better" : kind.isWorse(verdict) ? "Worse" : "Changed";
            all.add(judged + " since " + first.name() + " (" + TIME.format(first.time()) + " UTC" + broker(history, before, level)
                + commit(history, before, level) + "): " + heading + " "
                + history.figure().text(level.median()) + ", " + ComparisonWords.difference(level.change(), kind) + " than "
                + history.figure().text(before.median()) + " in the "
                + (before.to()
                    - before.from())
                + " runs before (p " + String.format(Locale.ROOT, "%.3f", level.pValue()) + ")." + doubtful(history, before, level));
        }
        History.Level emerging = history.emerging();
        if (emerging != null) {
            all.add((all.isEmpty() ? "No change yet" : "Perhaps again") + ": the newest run is the first to show that " + heading + " is "
                + change(history.figure(), emerging) + " since " + history.points().get(emerging.from()).name()
                + "; the next one decides.");
        }
        if (all.isEmpty()) {
            all.add("No change of " + heading + " by " + ComparisonWords.asked(history.least()) + " or more was found in " + count
                + " runs; " + ChangePoints.SHORTEST + " runs at least must show it.");
        }
        return all;
    }

    private static String doubtful(History history, History.Level before, History.Level level) {
        long earlier = history.pointsOf(before).stream().filter(History.Point::isDoubtful).count();
        long later = history.pointsOf(level).stream().filter(History.Point::isDoubtful).count();
        return earlier + later == 0 ? ""
            : " Doubtful, for reasons that their results name: " + later + " of the " + history.pointsOf(level).size() + " runs since and "
                + earlier + " of the " + history.pointsOf(before).size() + " before.";
    }

    private static String commit(History history, History.Level before, History.Level level) {
        String last = history.points().get(before.to() - 1).commit();
        String first = history.points().get(level.from()).commit();
        return first.isEmpty() || first.equals(last) ? "" : ", commit " + first + (last.isEmpty() ? "" : " after " + last);
    }

    private static String broker(History history, History.Level before, History.Level level) {
        String last = history.points().get(before.to() - 1).broker();
        String first = history.points().get(level.from()).broker();
        return first.isEmpty() || first.equals(last) ? "" : ", " + first + " after " + last;
    }

    /**
     * Returns the sentences, then a line for each point. Ends with a newline.
     *
     * @param width column at which sentences are wrapped; 0 for no wrapping
     */
    public static String text(History history, int width) {
        StringBuilder text = new StringBuilder();
        if (!history.variant().isEmpty()) {
            text.append(history.variant()).append('\n');
        }
        sentences(history).forEach(sentence -> ComparisonText.sentence(text, sentence, width));
        leftOut(history).ifPresent(sentence -> ComparisonText.sentence(text, sentence, width));
        if (!history.points().isEmpty()) {
            text.append('\n');
            points(text, history);
        }
        return text.toString();
    }

    /**
     * Appends a line for each point, with its value as a position between the lowest and the highest, and before each new level a line with
     * the size of the change.
     */
    private static void points(StringBuilder text, History history) {
        ComparedFigure figure = history.figure();
        double least = history.points().stream().mapToDouble(History.Point::value).min().orElse(0);
        double most = history.points().stream().mapToDouble(History.Point::value).max().orElse(0);
        int values = history.points().stream().mapToInt(point -> figure.text(point.value()).length()).max().orElse(0);
        int names = history.points().stream().mapToInt(point -> point.name().length()).max().orElse(0);
        for (int i = 0; i < history.points().size(); i++) {
            History.Point point = history.points().get(i);
            for (History.Level level : history.levels()) {
                if (level.from() == i && i > 0) {
                    text.append("  ").append(change(figure, level)).append(":\n");
                }
            }
            int at = most == least ? BAR / 2 : (int) Math.round((point.value() - least) / (most - least) * BAR);
            String value = figure.text(point.value());
            text.append("  ").append(point.name()).append(" ".repeat(names - point.name().length() + 2))
                .append(" ".repeat(values - value.length()))
                .append(value).append("  ").append(" ".repeat(at)).append('*');
            String besides = (point.commit() + (point.isDoubtful() ? " doubtful" : "")).strip();
            if (!besides.isEmpty()) {
                text.append(" ".repeat(BAR - at + 2)).append(besides);
            }
            text.append('\n');
        }
    }

    /** Returns Markdown for a pull request or a step summary: the changes, the levels, and all runs below. Ends with a newline. */
    public static String markdown(List<History> histories) {
        StringBuilder text = new StringBuilder("## History\n");
        for (History history : histories) {
            List<String> sentences = sentences(history);
            text.append('\n').append(history.variant().isEmpty() ? "" : "### " + ComparisonText.escaped(history.variant()) + "\n\n")
                .append("**")
                .append(ComparisonText.escaped(sentences.getFirst())).append("**\n\n");
            sentences.stream().skip(1).forEach(sentence -> text.append("- ").append(ComparisonText.escaped(sentence)).append('\n'));
            leftOut(history).ifPresent(sentence -> text.append("- ").append(ComparisonText.escaped(sentence)).append('\n'));
            if (history.points().isEmpty()) {
                continue;
            }
            List<List<String>> levels = new ArrayList<>(List.of(List.of("since", "time (UTC)", "runs", "median", "change")));
            for (History.Level level : history.levels()) {
                History.Point since = history.points().get(level.from());
                levels.add(List.of(since.name(), TIME.format(since.time()), Integer.toString(level.to() - level.from()),
                    history.figure().text(level.median()), Double.isNaN(level.change()) ? "" : change(history.figure(), level)));
            }
            text.append('\n');
            ComparisonText.table(text, levels, "---|---|---:|---:|---");
            List<List<String>> points =
                new ArrayList<>(List.of(List.of("run", "time (UTC)", history.figure().heading(), "broker", "commit", "doubtful")));
            history.points()
                .forEach(point -> points.add(List.of(point.name(), TIME.format(point.time()), history.figure().text(point.value()),
                    point.broker(), point.commit(), point.isDoubtful() ? "yes" : "")));
            text.append("\n<details><summary>All runs</summary>\n\n");
            ComparisonText.table(text, points, "---|---|---:|---|---|---");
            text.append("\n</details>\n");
        }
        return text.toString();
    }

    /** Returns the size of the change with which a level begins: {@code 4.8 % less}, {@code more than 0}. */
    public static String change(ComparedFigure figure, History.Level level) {
        return ComparisonWords.difference(level.change(), figure.kind()) + (Double.isInfinite(level.change()) ? " than 0" : "");
    }

    /** Returns a sentence with the numbers of runs that were left out, by reason; empty for none. */
    public static Optional<String> leftOut(History history) {
        return history.leftOut().isEmpty() ? Optional.empty() : Optional.of("Left out: " + history.leftOut().entrySet().stream()
            .map(one -> one.getValue() + " " + one.getKey()).collect(Collectors.joining(", ")) + ".");
    }

    /**
     * Returns all histories as one JSON object on a line.
     *
     * @param gates the gates, each of which judges the histories of its figure
     */
    public static String json(List<History> histories, List<Gate> gates) {
        return JsonText
            .of(DocumentJson.treeOfJavaNumbers(new Histories(FORMAT, histories.stream().map(history -> history(history, gates)).toList())))
            + "\n";
    }

    private record Histories(int format, List<OneHistory> histories) {}

    private record OneHistory(String variant, String figure, String unit, double leastEffect, List<String> sentences, List<Point> points,
            List<Level> levels, @Nullable Level emerging, Map<String, Integer> leftOut, List<Gate.Judged> failIf) {}

    private record Point(String run, String time, double value, String broker, Map<String, String> labels, int trials, int doubtful) {}

    private record Level(String since, int points, double median, double changeRatio, double pValue) {}

    private static OneHistory history(History history, List<Gate> gates) {
        History.Level emerging = history.emerging();
        return new OneHistory(history.variant(), history.figure().name(), history.figure().kind().unit(), history.least(),
            sentences(history), history.points().stream().map(point -> new Point(point.name(), point.time().toString(), point.value(),
                point.broker(), point.labels(), point.trials(), point.doubtful())).toList(),
            history.levels().stream().map(level -> level(history, level)).toList(), emerging == null ? null : level(history, emerging),
            history.leftOut(), gates.stream().filter(gate -> gate.figure().equals(history.figure()))
                .map(gate -> gate.judged(gate.of(history), gate.sentence(history))).toList());
    }

    private static Level level(History history, History.Level level) {
        return new Level(history.points().get(level.from()).name(), level.to() - level.from(), level.median(), level.change(),
            level.pValue());
    }
}
