package io.brokermeter.reports.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.csv.Csv;
import io.brokermeter.reports.document.ResultDocument.Phase;
import io.brokermeter.reports.screen.Wrapping;

/**
 * The trials of one experiment as a table: a row for each variant, with the median of its repeats and their range; behind each column
 * with a published figure, that figure and the ratio to it; failures by cause below. A trial that failed or was interrupted is in no
 * median; if no trial of a variant passed, the figures of those that failed are shown in parentheses. Times of a variant whose messages
 * were all due in the warm-up are marked.
 *
 * @param title heading of the table
 * @param note one line below the title, empty for none
 * @param kind the columns
 * @param rows the trials, in the order in which they are shown
 */
public record ResultTable(String title, String note, TableKind kind, List<TableRow> rows) {

    private static final String SENDS_FAILED = "sends-failed";
    private static final int MOST_TITLES = 3;
    /** The times that tables have as a rule. */
    private static final List<Metric> MARKED_TIMES = List.of(Metric.RESPONSE, Metric.SEND);
    /** Mark behind a time that is one of overdue messages. */
    public static final String OVERDUE = "*";
    /** Explanation of the mark. A line that began with the mark would be an item of a list in Markdown. */
    public static final String OVERDUE_NOTE =
        "Times with " + OVERDUE + " are with overdue: nothing that was due after the warm-up had that time, "
            + "so it is that of what was sent and received after the warm-up and due in it.";
    /** Keys of the columns that get room first. */
    private static final List<String> FIRST =
        List.of("failed", "unconfirmed", "lost", "left", "notInTime", "duplicates", "sent", "received",
            "responseP99", "responseP50", "roundTripP99", "success", "brokerCpu", "messages", "sendP99");

    public ResultTable {
        rows = List.copyOf(rows);
    }

    /** Returns the table as Markdown, with columns padded so that it can be read as it is; ends with a line end. */
    public String markdown() {
        return text(TableView.MARKDOWN);
    }

    /** Returns the table in the form of {@code view}; ends with a line end. */
    public String text(TableView view) {
        List<Variant> variants = Variant.of(rows);
        StringBuilder text = new StringBuilder();
        boolean markdown = view.width() == 0;
        if (!title.isEmpty()) {
            text.append(markdown ? "## " : "").append(title).append("\n\n");
        }
        if (!note.isEmpty()) {
            lines(text, "", note, view);
            text.append('\n');
        }
        List<TableColumn> columns = view.columns().isEmpty() ? columns() : view.columns();
        List<String> hidden = show(text, figures(columns, variants, view), view);
        if (rows.stream().anyMatch(row -> row.repeat() > 1)) {
            text.append("\nMedian of the repeats, with their range.\n");
        }
        if (variants.stream().anyMatch(variant -> !variant.isMeasured() && !variant.counted().isEmpty())) {
            text.append("\nIn parentheses: figures of trials that failed.\n");
        }
        if (columns.contains(TableColumn.RECEIVED) && !hidden.contains(TableColumn.RECEIVED.heading())
            && variants.stream().flatMap(variant -> variant.counted().stream()).anyMatch(TableColumn::isReceivedByFirst)) {
            text.append('\n');
            lines(text, "", TableColumn.RECEIVED_BY_FIRST, view);
        }
        if (columns.stream().anyMatch(column -> !hidden.contains(column.heading())
            && variants.stream().anyMatch(variant -> variant.isOverdue(column)))) {
            text.append('\n');
            lines(text, "", OVERDUE_NOTE, view);
        }
        groups(text, variants, view);
        phases(text, variants, view);
        failures(text, variants, view);
        doubts(text, variants, view);
        if (!hidden.isEmpty()) {
            text.append('\n');
            lines(text, "", "Not shown for want of room: " + String.join(", ", hidden) + " (--wide, --columns, table.csv).", view);
        }
        return text.toString();
    }

    private static List<String> show(StringBuilder text, TextTable table, TableView view) {
        if (view.width() == 0) {
            table.markdown(text);
            return List.of();
        }
        // The last column stays free: some terminals wrap when it is filled.
        return table.text(text, view.width() == TableView.ANY ? TableView.ANY : view.width() - 1);
    }

    private TextTable figures(List<TableColumn> columns, List<Variant> variants, TableView view) {
        Set<TableColumn> published = columns.stream().filter(column -> variants.stream()
            .anyMatch(variant -> variant.published().containsKey(column.key()))).collect(Collectors.toCollection(LinkedHashSet::new));
        TextTable table = new TextTable();
        Set<String> names = names();
        for (String name : names) {
            table.add(view.width() == 0 ? name : shortened(name, names), true, TextTable.ALWAYS,
                variants.stream().map(variant -> variant.names().getOrDefault(name, "")).toList());
        }
        for (TableColumn column : columns) {
            int rank = view.columns().isEmpty() ? rank(column, columns) : TextTable.ALWAYS;
            table.add(column.heading(), false, rank, variants.stream()
                .map(variant -> Margin.behind(text(column, variant.spread(column), variant.isMeasured())
                    + (variant.isOverdue(column) ? OVERDUE : ""), margin(variant, column)))
                .toList());
            if (published.contains(column)) {
                table.add("published", false, rank, variants.stream().map(variant -> {
                    PublishedFigure figure = variant.published().get(column.key());
                    return figure == null ? "" : figure.text();
                }).toList());
                if (column.compares()) {
                    table.add("ratio", false, rank, variants.stream().map(variant -> ratio(variant, column)).toList());
                }
            }
        }
        if (variants.stream().anyMatch(variant -> !variant.state().isEmpty())) {
            table.add("state", false, TextTable.ALWAYS, variants.stream().map(Variant::state).toList());
        }
        return table;
    }

    /** Returns how sure a figure is that stands alone; repeats have their range. */
    private static String margin(Variant variant, TableColumn column) {
        List<StoredResult> counted = variant.counted();
        return counted.size() != 1 || !variant.isMeasured() ? ""
            : Margin.of(column.of(counted.getFirst()), column.confidenceOf(counted.getFirst()));
    }

    private static String ratio(Variant variant, TableColumn column) {
        PublishedFigure figure = variant.published().get(column.key());
        Spread spread = variant.spread(column);
        // Published figures contain nothing overdue.
        return figure == null || figure.value() == 0 || !spread.isKnown() || variant.isOverdue(column) || !variant.isMeasured() ? ""
            : CellText.ratio(spread.median() / figure.value());
    }

    private static int rank(TableColumn column, List<TableColumn> columns) {
        int first = FIRST.indexOf(column.key());
        return 1 + (first >= 0 ? first : FIRST.size() + columns.indexOf(column));
    }

    /** Returns the shortest end of a path that distinguishes it from the others: {@code rate} for {@code producers.load.rate}. */
    private static String shortened(String path, Set<String> all) {
        String[] parts = path.split("\\.");
        String end = "";
        for (int i = parts.length - 1; i >= 0; i--) {
            end = end.isEmpty() ? parts[i] : parts[i] + "." + end;
            String own = end;
            if (!own.matches("[0-9.]+.*") && all.stream().filter(other -> other.equals(own) || other.endsWith("." + own)).count() == 1) {
                return own;
            }
        }
        return path;
    }

    /** Returns one line of raw numbers for each trial, below a header (RFC 4180, lines end with a line feed). */
    public String csv() {
        List<String> names = List.copyOf(names());
        List<String> published = rows.stream().flatMap(row -> row.published().keySet().stream()).distinct().sorted().toList();
        StringBuilder text = new StringBuilder();
        List<String> head = new ArrayList<>(List.of("trial", "repeat"));
        head.addAll(names);
        head.add("state");
        TableColumn.ALL.forEach(column -> head.add(column.key()));
        published.forEach(key -> head.add("published." + key));
        head.add("withOverdue");
        head.add("causes");
        head.add("doubts");
        List<TableColumn> sure = TableColumn.ALL.stream().filter(column -> rows.stream()
            .anyMatch(row -> row.result() != null && column.confidenceOf(row.result()).isKnown())).toList();
        sure.forEach(column -> head.addAll(List.of(column.key() + "Low", column.key() + "High")));
        text.append(Csv.line(head));
        for (TableRow row : rows) {
            List<String> cells = new ArrayList<>(List.of(Integer.toString(row.number()), Integer.toString(row.repeat())));
            names.forEach(name -> cells.add(row.variant().getOrDefault(name, "")));
            cells.add(Variant.state(row));
            List<String> overdue = new ArrayList<>();
            for (TableColumn column : TableColumn.ALL) {
                double due = row.result() == null ? Double.NaN : column.of(row.result());
                double value = row.result() == null || Double.isFinite(due) ? due : column.withOverdue(row.result());
                if (Double.isFinite(value) && !Double.isFinite(due)) {
                    overdue.add(column.key());
                }
                cells.add(Double.isFinite(value) ? Numbers.plain(value) : "");
            }
            published.forEach(key -> {
                PublishedFigure figure = row.published().get(key);
                cells.add(figure == null ? "" : Numbers.plain(figure.value()));
            });
            cells.add(String.join(" ", overdue));
            cells.add(String.join(" ", row.causes()));
            cells.add(row.result() == null ? "" : String.join("; ", row.result().doubts()));
            sure.forEach(column -> {
                Confidence one = row.result() == null ? Confidence.UNKNOWN : column.confidenceOf(row.result());
                cells.addAll(one.isKnown() ? List.of(Numbers.plain(one.low()), Numbers.plain(one.high())) : List.of("", ""));
            });
            text.append(Csv.line(cells));
        }
        return text.toString();
    }

    private Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        rows.forEach(row -> names.addAll(row.variant().keySet()));
        return names;
    }

    /** Returns the columns of the kind that any trial has a figure for, and those with a published figure. */
    private List<TableColumn> columns() {
        List<TableColumn> columns = new ArrayList<>(kind.columns().stream().filter(this::isKnown).toList());
        for (TableRow row : rows) {
            for (String key : row.published().keySet()) {
                TableColumn.ofKey(key).filter(column -> !columns.contains(column)).ifPresent(columns::add);
            }
        }
        return columns;
    }

    private boolean isKnown(TableColumn column) {
        boolean said = rows.stream().anyMatch(row -> row.published().containsKey(column.key()));
        boolean known = said;
        for (TableRow row : rows) {
            known |= row.result() != null && column.isKnownOf(row.result());
        }
        return known && (said || !isQuiet(column));
    }

    /** Returns whether a column has nothing to report: one about problems is shown only if there were any. */
    private boolean isQuiet(TableColumn column) {
        if (column == TableColumn.RECEIVED_MESSAGES) {
            // The column matters if not every message was delivered once.
            return rows.stream().allMatch(row -> row.result() == null || !row.result().sends()
                || column.of(row.result()) == TableColumn.MESSAGES.of(row.result()));
        }
        if (!TableColumn.TROUBLES.contains(column)) {
            return false;
        }
        for (TableRow row : rows) {
            if (row.result() != null && column.of(row.result()) > 0) {
                return false;
            }
        }
        return true;
    }

    /** Appends a table of parts of runs below; each of its lines has the variant, the part and its figures. */
    private static void parts(StringBuilder text, String head, List<String> headings, List<List<String>> lines, TableView view) {
        if (lines.isEmpty()) {
            return;
        }
        text.append('\n').append(head).append("\n\n");
        TextTable table = new TextTable();
        for (int c = 0; c < headings.size(); c++) {
            int column = c;
            table.add(headings.get(c), c < 2, c < 2 ? TextTable.ALWAYS : c, lines.stream().map(line -> line.get(column)).toList());
        }
        show(text, table, view);
    }

    /** Appends the rate of each group, for runs with several groups of one kind. */
    private static void groups(StringBuilder text, List<Variant> variants, TableView view) {
        List<List<String>> lines = new ArrayList<>();
        for (Variant variant : variants) {
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            for (StoredResult result : variant.counted()) {
                result.severalGroups().stream().filter(group -> Double.isFinite(group.messagesPerSecond()))
                    .forEach(group -> rates.computeIfAbsent(group.kind() + " " + group.name(), _ -> new ArrayList<>())
                        .add(group.messagesPerSecond()));
            }
            rates.forEach((group, values) -> lines
                .add(List.of(variant.title(), group, text(TableColumn.SENT, Spread.of(values), variant.isMeasured()))));
        }
        parts(text, "Groups, from their start to their end, warm-up included:", List.of("variant", "group", "msg/s"), lines, view);
    }

    /** Columns of the times of a phase, beside its rates. */
    private static final List<TableColumn> PHASE_TIMES =
        TableView.columns(List.of("sendP50", "sendP99", "transferP50", "transferP99", "responseP50", "responseP99"));

    /** Appends the figures of each phase, for runs with phases. */
    private static void phases(StringBuilder text, List<Variant> variants, TableView view) {
        List<List<String>> lines = new ArrayList<>();
        for (Variant variant : variants) {
            Map<String, List<Phase>> byName = new LinkedHashMap<>();
            for (StoredResult result : variant.counted()) {
                result.document().phases().forEach(phase -> byName.computeIfAbsent(phase.name(), _ -> new ArrayList<>()).add(phase));
            }
            byName.forEach((name, phases) -> {
                List<String> line = new ArrayList<>(List.of(variant.title(), name));
                line.add(rate(phases, Phase::sentPerSecond, variant));
                line.add(rate(phases, Phase::receivedPerSecond, variant));
                PHASE_TIMES.forEach(column -> line.add(rate(phases, phase -> column.of(StoredResult.timesOf(phase)), variant)));
                lines.add(line);
            });
        }
        List<String> head =
            new ArrayList<>(List.of("variant", "phase", TableColumn.SENT.heading(), TableColumn.RECEIVED.heading()));
        PHASE_TIMES.forEach(column -> head.add(column.heading()));
        parts(text, "Phases:", head, lines, view);
    }

    private static String rate(List<Phase> phases, ToDoubleFunction<Phase> figure, Variant variant) {
        return text(TableColumn.SENT, Spread.of(phases.stream().map(figure::applyAsDouble).toList()), variant.isMeasured());
    }

    /** Collects sentences about variants: each is listed once, with the variants that it concerns. */
    private static final class Sayings {

        private final int variants;
        private final Map<String, List<String>> titles = new LinkedHashMap<>();
        private final Map<String, String> sentences = new LinkedHashMap<>();

        Sayings(int variants) {
            this.variants = variants;
        }

        /** @param kind key of the sentence, the same for sentences that differ in their numbers alone */
        void add(Variant variant, String kind, String sentence) {
            sentences.putIfAbsent(kind, sentence);
            List<String> of = titles.computeIfAbsent(kind, _ -> new ArrayList<>());
            if (!of.contains(variant.title())) {
                of.add(variant.title());
            }
        }

        List<String> lines() {
            return sentences.entrySet().stream().map(e -> whose(titles.getOrDefault(e.getKey(), List.of())) + e.getValue()).toList();
        }

        private String whose(List<String> of) {
            if (of.size() == 1) {
                return of.getFirst().isEmpty() ? "" : of.getFirst() + ": ";
            }
            return of.size() == variants ? "all " + variants + " variants: "
                : String.join("; ", of.subList(0, Math.min(MOST_TITLES, of.size())))
                    + (of.size() > MOST_TITLES ? " and " + (of.size() - MOST_TITLES) + " more" : "") + ": ";
        }
    }

    private static void doubts(StringBuilder text, List<Variant> variants, TableView view) {
        Sayings sayings = new Sayings(variants.size());
        for (Variant variant : variants) {
            // Repeats and variants have the same reasons with other numbers; one sentence of each kind is enough, for each agent.
            variant.results().forEach(result -> result.doubtFindings()
                .forEach(doubt -> sayings.add(variant, doubt.kind() + "\0" + doubt.agent(), doubt.sentence())));
        }
        list(text, "Doubtful:", sayings.lines(), view);
        Sayings marked = new Sayings(variants.size());
        for (Variant variant : variants) {
            variant.results().forEach(result -> MARKED_TIMES.stream().filter(time -> !result.marked(time).isEmpty())
                .forEach(time -> marked.add(variant, time.fileKey(), time.fileKey() + " " + String.join(", ", result.marked(time)))));
        }
        list(text, "Explained by the generator's own stalls in one trial at least:", marked.lines(), view);
        Sayings missed = new Sayings(variants.size());
        for (Variant variant : variants) {
            variant.results().forEach(result -> result.thresholds().stream().filter(threshold -> !threshold.passed() || !threshold.judged())
                .forEach(threshold -> missed.add(variant, variant.title() + threshold.expression(),
                    (threshold.judged() ? "" : "not judged: ") + threshold.sentence())));
        }
        list(text, "Thresholds that were missed:", missed.lines(), view);
    }

    private static void list(StringBuilder text, String head, List<String> lines, TableView view) {
        if (!lines.isEmpty()) {
            text.append('\n');
            lines(text, "", head, view);
            text.append('\n');
            lines.forEach(line -> lines(text, "- ", Wrapping.oneLine(line), view));
        }
    }

    /** Appends words in one line, or in lines that fit the terminal. */
    private static void lines(StringBuilder text, String first, String words, TableView view) {
        if (view.width() == 0 || view.width() == TableView.ANY) {
            text.append(first).append(words).append('\n');
        } else {
            Wrapping.lines(first, " ".repeat(first.length()), words, view.width() - 1).forEach(line -> text.append(line).append('\n'));
        }
    }

    private static void failures(StringBuilder text, List<Variant> variants, TableView view) {
        Sayings sayings = new Sayings(variants.size());
        for (Variant variant : variants) {
            Map<String, Long> sends = new LinkedHashMap<>();
            variant.results()
                .forEach(result -> result.document().failureCauses().forEach((cause, count) -> sends.merge(cause, count, Long::sum)));
            sends.forEach((cause, count) -> say(sayings, variant,
                CellText.number(count, false) + Counted.word(count, " send failed: ", " sends failed: ") + cause));
            Set<String> causes = variant.causes();
            // Failed sends are listed by cause above, with the sum over all repeats.
            variant.results().forEach(result -> result.failureFindings().stream().filter(failure -> failure.kind().equals(SENDS_FAILED))
                .forEach(failure -> causes.remove(failure.sentence())));
            causes.forEach(cause -> say(sayings, variant, cause));
        }
        list(text, "Failures by cause:", sayings.lines(), view);
    }

    private static void say(Sayings sayings, Variant variant, String sentence) {
        sayings.add(variant, sentence, sentence);
    }

    private static String text(TableColumn column, Spread spread, boolean measured) {
        return CellText.of(spread, column == TableColumn.SUCCESS, measured);
    }
}
