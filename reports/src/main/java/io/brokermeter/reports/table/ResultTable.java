package io.brokermeter.reports.table;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.reports.Csv;
import io.brokermeter.reports.JsonText;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The trials of one experiment as a table: a row for each variant, with the median of its repeats and their range; the
 * published figure and the ratio to it behind each column that has one; failures by cause below.
 *
 * @param title what stands above it
 * @param note one line below the title, empty for none
 * @param kind which columns
 * @param rows the trials, in the order in which they are to stand
 */
public record ResultTable(String title, String note, TableKind kind, List<TableRow> rows) {

    private static final String SENDS_FAILED = "sends-failed";

    public ResultTable {
        rows = List.copyOf(rows);
    }

    /** As Markdown, columns padded so that it can be read as it is; ends with a line end. */
    public String markdown() {
        List<Variant> variants = variants();
        List<TableColumn> columns = columns();
        Set<TableColumn> published = columns.stream().filter(column -> variants.stream()
            .anyMatch(variant -> variant.published().containsKey(column.key()))).collect(Collectors.toCollection(LinkedHashSet::new));
        Set<String> names = names();
        boolean states = variants.stream().anyMatch(variant -> !variant.state().isEmpty());
        List<List<String>> lines = new ArrayList<>();
        List<String> head = new ArrayList<>(names);
        for (TableColumn column : columns) {
            head.add(column.heading());
            if (published.contains(column)) {
                head.add("published");
                if (column.compares()) {
                    head.add("ratio");
                }
            }
        }
        if (states) {
            head.add("state");
        }
        lines.add(head);
        for (Variant variant : variants) {
            List<String> line = new ArrayList<>();
            names.forEach(name -> line.add(variant.names().getOrDefault(name, "")));
            for (TableColumn column : columns) {
                Spread spread = variant.spread(column);
                line.add(text(column, spread));
                if (published.contains(column)) {
                    PublishedFigure figure = variant.published().get(column.key());
                    line.add(figure == null ? "" : figure.text());
                    if (!column.compares()) {
                        continue;
                    }
                    line.add(figure == null || figure.value() == 0 || !spread.isKnown() ? ""
                        : BigDecimal.valueOf(spread.median() / figure.value()).setScale(2, RoundingMode.HALF_UP).toPlainString());
                }
            }
            if (states) {
                line.add(variant.state());
            }
            lines.add(line);
        }
        StringBuilder text = new StringBuilder();
        if (!title.isEmpty()) {
            text.append("## ").append(title).append("\n\n");
        }
        if (!note.isEmpty()) {
            text.append(note).append("\n\n");
        }
        append(text, lines, names.size());
        if (rows.stream().anyMatch(row -> row.repeat() > 1)) {
            text.append("\nMedian of the repeats, with their range.\n");
        }
        groups(text, variants);
        phases(text, variants);
        failures(text, variants);
        doubts(text, variants);
        return text.toString();
    }

    /** One line for each trial, raw numbers, with a head (RFC 4180, lines end with a line feed). */
    public String csv() {
        List<String> names = List.copyOf(names());
        List<String> published = rows.stream().flatMap(row -> row.published().keySet().stream()).distinct().sorted().toList();
        StringBuilder text = new StringBuilder();
        List<String> head = new ArrayList<>(List.of("trial", "repeat"));
        head.addAll(names);
        head.add("state");
        TableColumn.ALL.forEach(column -> head.add(column.key()));
        published.forEach(key -> head.add("published." + key));
        head.add("causes");
        head.add("doubts");
        text.append(Csv.line(head));
        for (TableRow row : rows) {
            List<String> cells = new ArrayList<>(List.of(Integer.toString(row.number()), Integer.toString(row.repeat())));
            names.forEach(name -> cells.add(row.variant().getOrDefault(name, "")));
            cells.add(state(row));
            for (TableColumn column : TableColumn.ALL) {
                double value = row.result() == null ? Double.NaN : column.of(row.result());
                cells.add(Double.isFinite(value) ? Numbers.plain(value) : "");
            }
            published.forEach(key -> {
                PublishedFigure figure = row.published().get(key);
                cells.add(figure == null ? "" : Numbers.plain(figure.value()));
            });
            cells.add(String.join(" ", row.causes()));
            cells.add(row.result() == null ? "" : String.join("; ", row.result().doubts()));
            text.append(Csv.line(cells));
        }
        return text.toString();
    }

    private static String state(TableRow row) {
        return !row.state().isEmpty() ? row.state() : row.result() != null && row.result().success() ? "passed" : "failed";
    }

    /** As {@link #state}, and whether the figures of a trial that passed may be the generator's. */
    private static String verdict(TableRow row) {
        String state = state(row);
        return state.equals("passed") && row.result() != null && !row.result().doubts().isEmpty() ? "doubtful" : state;
    }

    /** Rows that differ in their repeat alone. */
    private record Variant(Map<String, String> names, List<TableRow> rows) {

        Map<String, PublishedFigure> published() {
            Map<String, PublishedFigure> all = new LinkedHashMap<>();
            rows.forEach(row -> all.putAll(row.published()));
            return all;
        }

        Spread spread(TableColumn column) {
            List<Double> values = new ArrayList<>();
            results().forEach(result -> values.add(column.of(result)));
            return Spread.of(values);
        }

        List<StoredResult> results() {
            List<StoredResult> results = new ArrayList<>();
            for (TableRow row : rows) {
                if (row.result() != null) {
                    results.add(row.result());
                }
            }
            return results;
        }

        /** What must be known beside the figures: how many failed, are missing or doubtful. */
        String state() {
            Map<String, Long> states = rows.stream().map(ResultTable::verdict)
                .collect(Collectors.groupingBy(state -> state, LinkedHashMap::new, Collectors.counting()));
            states.remove("passed");
            return states.entrySet().stream().map(e -> rows.size() == 1 ? e.getKey() : e.getValue() + " " + e.getKey())
                .collect(Collectors.joining(", "));
        }

        String title() {
            return names.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", "));
        }
    }

    private List<Variant> variants() {
        Map<Map<String, String>, List<TableRow>> all = new LinkedHashMap<>();
        rows.forEach(row -> all.computeIfAbsent(row.variant(), _ -> new ArrayList<>()).add(row));
        return all.entrySet().stream().map(e -> new Variant(e.getKey(), e.getValue())).toList();
    }

    private Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        rows.forEach(row -> names.addAll(row.variant().keySet()));
        return names;
    }

    /** Those of the kind that any trial has a figure for, and those that something was published about. */
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
            known |= row.result() != null && Double.isFinite(column.of(row.result()));
        }
        return known && (said || !isQuiet(column));
    }

    /** What went wrong has a column only where anything did. */
    private boolean isQuiet(TableColumn column) {
        if (column == TableColumn.RECEIVED_MESSAGES) {
            // It tells something where not every message was delivered once.
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

    /** Where a run has several groups of one kind, what each of them came to. */
    private static void groups(StringBuilder text, List<Variant> variants) {
        List<List<String>> lines = new ArrayList<>();
        for (Variant variant : variants) {
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            for (StoredResult result : variant.results()) {
                for (Map<String, @Nullable Object> group : result.groups().size() > 2 ? result.groups()
                    : List.<Map<String, @Nullable Object>>of()) {
                    if (group.get("messagesPerSecond") instanceof Number rate) {
                        rates.computeIfAbsent(group.get("kind") + " " + group.get("name"), _ -> new ArrayList<>()).add(rate.doubleValue());
                    }
                }
            }
            rates.forEach((group, values) -> lines.add(List.of(variant.title(), group, text(TableColumn.SENT, Spread.of(values)))));
        }
        if (!lines.isEmpty()) {
            lines.addFirst(List.of("variant", "group", "msg/s"));
            text.append("\nGroups, from their start to their end, warm-up included:\n\n");
            append(text, lines, 2);
        }
    }

    /** A figure of a phase, by its heading: a count is divided by the length of the phase. */
    private record PhaseColumn(String heading, List<String> path, boolean perSecond) {

        double of(Map<?, ?> phase) {
            double value = StoredResult.number(phase, path);
            return perSecond ? value / StoredResult.number(phase, List.of("seconds")) : value;
        }
    }

    private static final List<PhaseColumn> PHASE_COLUMNS = List.of(
        new PhaseColumn("sent/s", List.of("sent"), true), new PhaseColumn("received/s", List.of("received"), true),
        new PhaseColumn("send p50", List.of("times", "send", "p50Micros"), false),
        new PhaseColumn("send p99", List.of("times", "send", "p99Micros"), false),
        new PhaseColumn("transfer p50", List.of("times", "transfer", "p50Micros"), false),
        new PhaseColumn("transfer p99", List.of("times", "transfer", "p99Micros"), false),
        new PhaseColumn("response p50", List.of("times", "response", "p50Micros"), false),
        new PhaseColumn("response p99", List.of("times", "response", "p99Micros"), false));

    /** Where a run has phases, what each of them came to. */
    private static void phases(StringBuilder text, List<Variant> variants) {
        List<List<String>> lines = new ArrayList<>();
        for (Variant variant : variants) {
            Map<String, List<Map<?, ?>>> byName = new LinkedHashMap<>();
            for (StoredResult result : variant.results()) {
                for (Map<String, @Nullable Object> phase : JsonText.maps(result.values().get("phases"))) {
                    byName.computeIfAbsent(String.valueOf(phase.get("name")), _ -> new ArrayList<>()).add(phase);
                }
            }
            byName.forEach((name, phases) -> {
                List<String> line = new ArrayList<>(List.of(variant.title(), name));
                PHASE_COLUMNS.forEach(column -> line.add(text(TableColumn.SENT, Spread.of(phases.stream().map(column::of).toList()))));
                lines.add(line);
            });
        }
        if (!lines.isEmpty()) {
            List<String> head = new ArrayList<>(List.of("variant", "phase"));
            PHASE_COLUMNS.forEach(column -> head.add(column.heading()));
            lines.addFirst(head);
            text.append("\nPhases:\n\n");
            append(text, lines, 2);
        }
    }

    private static void doubts(StringBuilder text, List<Variant> variants) {
        List<String> lines = new ArrayList<>();
        for (Variant variant : variants) {
            // Repeats have the same reasons with other numbers; one of each kind will do.
            Map<String, String> reasons = new LinkedHashMap<>();
            variant.results().forEach(result -> result.doubts()
                .forEach(reason -> reasons.putIfAbsent(kindOf(reason, result), reason)));
            reasons.values().forEach(reason -> lines.add((variant.title().isEmpty() ? "" : variant.title() + ": ") + reason));
        }
        list(text, "Doubtful, since generator or machine may have been the limit:", lines);
    }

    /** The kind of the finding that a sentence stands for; the sentence itself where the result does not tell it. */
    private static String kindOf(String sentence, StoredResult result) {
        return result.findings().stream().filter(finding -> finding.sentence().equals(sentence)).map(StoredResult.StoredFinding::kind)
            .findFirst().orElse(sentence);
    }

    private static void list(StringBuilder text, String head, List<String> lines) {
        if (!lines.isEmpty()) {
            text.append('\n').append(head).append("\n\n");
            lines.forEach(line -> text.append("- ").append(line.replaceAll("\\s*\\R\\s*", " ")).append('\n'));
        }
    }

    private static void failures(StringBuilder text, List<Variant> variants) {
        List<String> lines = new ArrayList<>();
        for (Variant variant : variants) {
            String title = variant.title().isEmpty() ? "" : variant.title() + ": ";
            Map<String, Long> sends = new LinkedHashMap<>();
            variant.results().forEach(result -> result.failureCauses().forEach((cause, count) -> sends.merge(cause, count, Long::sum)));
            sends.forEach((cause, count) -> lines.add(title + number(count, false) + " sends failed: " + cause));
            Set<String> causes = new LinkedHashSet<>();
            variant.rows().forEach(row -> causes.addAll(row.causes()));
            // They stand by cause above, with the sum over all repeats.
            variant.results().forEach(result -> causes.removeIf(cause -> kindOf(cause, result).equals(SENDS_FAILED)));
            causes.forEach(cause -> lines.add(title + cause));
        }
        list(text, "Failures by cause:", lines);
    }

    /** @param left how many columns are texts */
    private static void append(StringBuilder text, List<List<String>> lines, int left) {
        int columns = lines.getFirst().size();
        int[] widths = new int[columns];
        List<List<String>> safe = lines.stream().map(line -> line.stream().map(cell -> cell.replace("|", "\\|")).toList()).toList();
        for (List<String> line : safe) {
            for (int c = 0; c < columns; c++) {
                widths[c] = Math.max(Math.max(widths[c], 3), line.get(c).length());
            }
        }
        for (int l = 0; l < safe.size(); l++) {
            for (int c = 0; c < columns; c++) {
                String cell = safe.get(l).get(c);
                String blanks = " ".repeat(widths[c] - cell.length());
                text.append("| ").append(c < left ? cell + blanks : blanks + cell).append(' ');
            }
            text.append("|\n");
            if (l == 0) {
                for (int c = 0; c < columns; c++) {
                    text.append('|').append(c < left ? "-".repeat(widths[c] + 2) : "-".repeat(widths[c] + 1) + ":");
                }
                text.append("|\n");
            }
        }
    }

    private static String text(TableColumn column, Spread spread) {
        if (!spread.isKnown()) {
            return "";
        }
        boolean exact = column == TableColumn.SUCCESS;
        String least = number(spread.least(), exact);
        String most = number(spread.most(), exact);
        return number(spread.median(), exact) + (least.equals(most) ? "" : " (" + least + " to " + most + ")");
    }

    /** As documents write them: thousands set apart, and no more digits than mean something. */
    private static String number(double value, boolean exact) {
        if (exact) {
            return BigDecimal.valueOf(value).setScale(4, RoundingMode.HALF_UP).stripTrailingZeros().toPlainString();
        }
        if (value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        return Math.abs(value) >= 10_000 ? String.format(Locale.ROOT, "%,d", Math.round(value))
            : String.format(Locale.ROOT, "%,.2f", value);
    }
}
