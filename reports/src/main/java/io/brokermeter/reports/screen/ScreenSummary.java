package io.brokermeter.reports.screen;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.AgentRows;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.Margin;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.ResultWords;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.document.ResultDocument;

/**
 * Formats a run on one screen: what was measured, the verdict with its reasons, times, counts beside the asked ones, the ledger, the
 * usage of both sides, the place of the files, and commands to go on with. Uses the stored result alone, so a run that is over and its
 * files yield the same.
 */
public final class ScreenSummary {

    private static final int LABEL = 12;
    private static final int CELL = 10;
    private static final List<Metric> TIMES = List.of(Metric.RESPONSE, Metric.TRANSFER, Metric.SEND, Metric.ROUND_TRIP,
        Metric.LATE_DELIVERY, Metric.HANDLER);
    private static final List<String> PARTS = List.of("p50", "p90", "p99", "p99.9", "max");
    private static final int LEAST_REASONS = 2;
    /** The lines that every screen has beside its parts. */
    private static final int PROMPT_AND_VERDICT = 2;

    private final StoredResult result;
    private final ResultWords words;
    private final ScreenStyle style;

    private ScreenSummary(StoredResult result, ScreenStyle style) {
        this.result = result;
        this.words = new ResultWords(result);
        this.style = style;
    }

    /**
     * Returns the screen, ended by a line end.
     *
     * @param files directory of the files of the run; empty if there is none
     * @param next commands for the user to type next; empty for none
     */
    public static String text(StoredResult result, ScreenStyle style, String files, List<String> next) {
        return new ScreenSummary(result, style).text(files, next);
    }

    /**
     * Returns the end of the screen alone: the directory of the files and the commands to type next, each line ended.
     *
     * @param files directory of the files of the run; empty if there is none
     */
    static String end(ScreenStyle style, String files, List<String> next) {
        List<String> end = new ArrayList<>();
        where(end, files, next, style.width() - 1);
        return end.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private static void where(List<String> end, String files, List<String> next, int width) {
        if (!files.isEmpty()) {
            // In one piece, so that the path can be copied; the terminal wraps it.
            end.add(label("files") + files);
        }
        for (String command : next) {
            String line = end.isEmpty() ? "" : end.getLast();
            boolean joins = line.startsWith("next") && line.length() + 3 + command.length() <= width;
            if (joins) {
                end.set(end.size() - 1, line + "   " + command);
            } else {
                end.add(label(command.equals(next.getFirst()) ? "next" : "") + command);
            }
        }
    }

    private String text(String files, List<String> next) {
        List<String> above = new ArrayList<>(Wrapping.lines("", "", words.what().isEmpty() ? "a run" : words.what(), width()));
        above.add("");
        List<String> below = new ArrayList<>();
        below.add("");
        times(below);
        labelled(below, "tick", words.tick(), 2);
        labelled(below, "connects", words.connects(), 2);
        below.add("");
        counts(below);
        below.add("");
        usage(below);
        List<String> end = new ArrayList<>();
        labelled(end, "thresholds", words.thresholds(), 2);
        where(end, files, next, width());
        if (!end.isEmpty()) {
            end.addFirst("");
        }
        int fixed = PROMPT_AND_VERDICT + end.stream().mapToInt(this::height).sum();
        int room = style.rows() - fixed - above.size() - below.size();
        int wanted = words.reasons().stream().mapToInt(reason -> Wrapping.lines("- ", "  ", reason, width()).size()).sum();
        // Phases, groups and agents come after everything that every run has, and before a long list of reasons.
        List<String> parts = parts(Math.max(0, room - Math.min(wanted, LEAST_REASONS)));
        room -= parts.size();
        room += tighten(below, wanted - room);
        room += tighten(above, wanted - room);
        List<String> all = new ArrayList<>(above);
        all.addAll(verdict(Math.max(LEAST_REASONS, room), !files.isEmpty()));
        all.addAll(below);
        all.addAll(parts);
        all.addAll(end);
        return String.join("\n", all) + "\n";
    }

    /** Returns the usable width. The last column of a terminal stays free, since some terminals wrap when it is filled. */
    private int width() {
        return style.width() - 1;
    }

    /** Returns the number of terminal lines that a line takes. */
    private int height(String line) {
        return Math.max(1, (line.length() + style.width() - 1) / style.width());
    }

    /** Removes empty lines from the end, at most {@code tooMany}, and returns how many it removed. */
    private static int tighten(List<String> lines, int tooMany) {
        int taken = 0;
        for (int i = lines.size() - 1; i >= 0 && taken < tooMany; i--) {
            if (lines.get(i).isEmpty()) {
                lines.remove(i);
                taken++;
            }
        }
        return taken;
    }

    /** Returns the verdict and as many of its reasons as there is room for below it. */
    private List<String> verdict(int room, boolean hasFiles) {
        Verdict verdict = words.verdict();
        List<String> reasons = words.reasons();
        List<String> lines = new ArrayList<>();
        String said = verdict == Verdict.PASSED && reasons.isEmpty() ? ": " + words.soundness() : "";
        lines.add(style.paint(verdict.tone(), verdict.words()) + said);
        List<List<String>> wrapped = reasons.stream().map(reason -> Wrapping.lines("- ", "  ", reason, width())).toList();
        int whole = 0;
        boolean fits = wrapped.stream().mapToInt(List::size).sum() <= room;
        while (whole < wrapped.size() && lines.size() - 1 + wrapped.get(whole).size() <= (fits ? room : room - 1)) {
            lines.addAll(wrapped.get(whole++));
        }
        // As much of the next reason as there is room for, leaving a line to mention those after it.
        int left = room - (lines.size() - 1) - (whole < wrapped.size() - 1 ? 1 : 0);
        if (whole < wrapped.size() && (left > 0 || whole == 0)) {
            List<String> cut = new ArrayList<>(wrapped.get(whole).subList(0, Math.clamp(left, 1, wrapped.get(whole).size())));
            cut.add(ended(cut.removeLast()));
            lines.addAll(cut);
            whole++;
        }
        if (whole < wrapped.size()) {
            lines.add("- and " + (wrapped.size() - whole) + (hasFiles ? " more in result.json" : " more, which --verbose shows"));
        }
        return lines;
    }

    private void times(List<String> lines) {
        List<Metric> rows = TIMES.stream().filter(time -> result.samples(time) > 0).toList();
        if (rows.isEmpty()) {
            lines.add("no times were measured");
            return;
        }
        StringBuilder head = new StringBuilder(" ".repeat(LABEL));
        PARTS.forEach(part -> head.append(Numbers.padded(part, CELL)));
        lines.add(head.append(Numbers.padded("samples", CELL + 3)).toString());
        for (Metric time : rows) {
            // The label of a late delivery is too long for its column.
            StringBuilder line = new StringBuilder(label(time == Metric.LATE_DELIVERY ? "late by" : time.label()));
            PARTS.forEach(part -> line.append(Numbers.padded(Amounts.time(result.micros(time, part)), CELL)));
            lines.add(line.append(Numbers.padded(Amounts.count(result.samples(time)), CELL + 3)).toString());
            if (time == rows.getFirst()) {
                margins(lines, time);
            }
            floors(lines, time);
        }
    }

    /** Adds, below the percentiles of the time that counts, how sure they are. */
    private void margins(List<String> lines, Metric time) {
        List<String> margins = PARTS.stream().map(part -> Margin.ofTime(result.micros(time, part), result.confidence(time, part), false))
            .toList();
        if (margins.stream().anyMatch(margin -> !margin.isEmpty())) {
            StringBuilder line = new StringBuilder(label("  95 %"));
            margins.forEach(margin -> line.append(Numbers.padded(margin, CELL)));
            String few = PARTS.stream().filter(part -> Double.isFinite(result.micros(time, part)))
                .map(part -> result.confidence(time, part)).filter(Confidence::isTooFew).map(Margin::episodes)
                .collect(Collectors.joining(", ")).replaceAll(" episodes?(?=,)", "");
            lines.add(line.append(few.isEmpty() ? "" : " " + few).toString().stripTrailing());
        }
    }

    /** Adds, below the percentiles of a time that stalls of the generator explain, what the stalls alone would have made of them. */
    private void floors(List<String> lines, Metric time) {
        if (PARTS.stream().anyMatch(part -> result.isMarked(time, part))) {
            StringBuilder line = new StringBuilder(label("  own stalls"));
            PARTS.forEach(part -> line.append(Numbers.padded(result.isMarked(time, part) ? Amounts.time(result.ownMicros(time, part)) : "",
                CELL)));
            lines.add(line.toString().stripTrailing());
        }
    }

    private void counts(List<String> lines) {
        labelled(lines, "sent", words.sent(), 2);
        labelled(lines, "received", words.received(), 2);
        labelled(lines, "ledger", words.ledger(), 3);
    }

    private void usage(List<String> lines) {
        double cpu = result.number(ResultField.BROKER_CPU);
        double memory = result.number(ResultField.BROKER_MEMORY);
        boolean broker = Double.isFinite(cpu) || Double.isFinite(memory);
        lines.add(" ".repeat(LABEL) + Numbers.padded("CPU", CELL) + Numbers.padded(broker ? "at most" : "", CELL)
            + Numbers.padded("a message", CELL + 1) + Numbers.padded("memory", CELL));
        lines.add(used("generator", result.generator().cpuPercent(), Double.NaN, result.number(ResultField.CPU_PER_MESSAGE),
            result.generator().residentBytes()));
        if (broker) {
            lines.add(used("broker", cpu, result.number(ResultField.BROKER_CPU_MAX), result.number(ResultField.BROKER_CPU_PER_MESSAGE),
                memory));
        }
        ResultDocument.Network network = result.document().network();
        if (network != null && Double.isFinite(network.cpuPercent())) {
            lines.add(used("network", network.cpuPercent(), Double.NaN, Double.NaN, Double.NaN));
        }
    }

    private static String used(String who, double cpu, double most, double perMessage, double memory) {
        return label(who) + Numbers.padded(Amounts.percent(cpu), CELL)
            + Numbers.padded(Double.isFinite(most) ? Amounts.percent(most) : "", CELL)
            + Numbers.padded(Amounts.time(perMessage > 0 ? perMessage : Double.NaN), CELL + 1)
            + Numbers.padded(Amounts.bytes(memory), CELL);
    }

    /** Returns a line for each phase, for each group if there are several of a kind, and for each agent, as many as there is room for. */
    private List<String> parts(int room) {
        List<String> all = new ArrayList<>();
        for (ResultDocument.Phase phase : result.document().phases()) {
            Metric time = StoredResult.samples(phase.times(), Metric.RESPONSE) > 0 ? Metric.RESPONSE : Metric.SEND;
            all.add(cut("phase " + phase.name() + ": " + Amounts.seconds(phase.seconds())
                + (phase.seconds() > 0 ? ", sent " + Amounts.rate(phase.sentPerSecond())
                    + (words.isReceiving() ? ", received " + Amounts.rate(phase.receivedPerSecond()) : "") : "")
                + percentiles(phase.times(), time)));
        }
        for (ResultDocument.Group group : result.severalGroups()) {
            boolean sends = group.isProducing();
            all.add(cut(group.kind() + " " + group.name() + ": " + Amounts.count(sends ? group.sent() : group.received())
                + (sends ? " sent" : " received") + ", " + Amounts.rate(group.messagesPerSecond())
                + percentiles(group.times(), sends ? Metric.SEND : Metric.TRANSFER)));
        }
        result.document().agents().forEach(agent -> all.add(cut(AgentRows.line(agent))));
        if (all.isEmpty() || room < 2) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.addAll(all.size() < room ? all : all.subList(0, Math.max(0, room - 2)));
        if (all.size() >= room) {
            lines.add("and " + (all.size() - lines.size() + 1) + " more in result.json");
        }
        return lines;
    }

    private static String percentiles(Map<String, ResultDocument.Times> times, Metric time) {
        return StoredResult.samples(times, time) > 0 ? ", " + time.label() + " p50 " + Amounts.time(StoredResult.micros(times, time, "p50"))
            + " p99 " + Amounts.time(StoredResult.micros(times, time, "p99")) : "";
    }

    private void labelled(List<String> lines, String label, String text, int most) {
        if (text.isEmpty()) {
            return;
        }
        List<String> all = Wrapping.lines(label(label), " ".repeat(LABEL), text, width());
        if (all.size() > most) {
            List<String> kept = new ArrayList<>(all.subList(0, most));
            kept.add(ended(kept.removeLast()));
            all = kept;
        }
        lines.addAll(all);
    }

    /** Marks a line as one whose sentence is cut off. */
    private String ended(String line) {
        return (line.length() + 4 <= width() ? line : line.substring(0, width() - 4)) + " ...";
    }

    private String cut(String line) {
        return line.length() <= width() ? line : line.substring(0, width() - 3) + "...";
    }

    private static String label(String name) {
        return name + " ".repeat(Math.max(1, LABEL - name.length()));
    }
}
