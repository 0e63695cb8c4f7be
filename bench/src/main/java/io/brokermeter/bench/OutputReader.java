package io.brokermeter.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Extracts the figures that a tool reports from the lines that it printed. */
interface OutputReader {

    /** The name of the row for the CPU time that a tool itself reports for its messages. */
    String MEASURED_CPU = "client CPU per message without the start, us";

    /**
     * Extracts the figures of a run.
     *
     * @throws IllegalStateException when the lines do not contain them
     */
    Outcome read(List<String> lines);

    /**
     * The result of a run as counted by its tool.
     *
     * @param messages number of messages by which the CPU time is divided: received ones if the tool receives
     * @param perSecond rate of these messages, per second; NaN if the tool tells none, which then is that of the whole run
     * @param further other figures, by the name of their row
     */
    record Outcome(double messages, double perSecond, Map<String, Double> further) {}

    /**
     * Returns a reader of the output of {@code artemis perf client} and of {@code brokermeter client}, which have the same form. The rate
     * is the median of the seconds after the warm-up.
     */
    static OutputReader perfClient() {
        Pattern live = Pattern.compile("--- received: +(\\d+) msg/sec");
        Pattern delay = Pattern.compile(
            "--- aggregated delay send time: .*?50\\.00%: +([0-9.]+) us.*?99\\.00%: +([0-9.]+) us.*");
        return lines -> {
            boolean warm = true;
            List<Double> seconds = new ArrayList<>();
            Map<String, Double> further = new LinkedHashMap<>();
            for (String line : lines) {
                Matcher rate = live.matcher(line);
                Matcher delays = delay.matcher(line);
                if (line.startsWith("--- warmup")) {
                    warm = line.contains("true");
                } else if (rate.matches() && !warm) {
                    seconds.add(Double.parseDouble(rate.group(1)));
                } else if (delays.matches()) {
                    further.put("send delay p50, us", Double.parseDouble(delays.group(1)));
                    further.put("send delay p99, us", Double.parseDouble(delays.group(2)));
                }
            }
            double sent = number(lines, "--- total sent: +(\\d+)");
            double received = number(lines, "--- total received: +(\\d+)");
            further.put("sent minus received", sent - received);
            further.putAll(measured(lines));
            return new Outcome(received, seconds.isEmpty() ? Double.NaN : Figures.median(seconds), further);
        };
    }

    /**
     * Returns a reader of the summary of {@code brokermeter producer} for a number of messages, whose rate is that of all messages until
     * the last is confirmed.
     */
    static OutputReader producer() {
        return lines -> {
            double messages = number(lines, "--- total completed: +(\\d+).*");
            return new Outcome(messages, messages / number(lines, "--- elapsed: +([0-9.]+) s"), measured(lines));
        };
    }

    /** Returns a reader of the summary of {@code brokermeter consumer} or {@code client} for a number of messages. */
    static OutputReader receiver() {
        return lines -> {
            double messages = number(lines, "--- total received: +(\\d+)");
            return new Outcome(messages, messages / number(lines, "--- elapsed: +([0-9.]+) s"), measured(lines));
        };
    }

    /** Returns a reader for a tool that prints nothing, and ends well only after that number of messages. */
    static OutputReader counted(long messages) {
        return _ -> new Outcome(messages, Double.NaN, Map.of());
    }

    /** Returns what a run's messages cost from the first to the last of them, which excludes the start of the program. */
    private static Map<String, Double> measured(List<String> lines) {
        return find(lines, "--- cpu per message: +([0-9.]+) us.*").map(cost -> Map.of(MEASURED_CPU, cost)).orElseGet(Map::of);
    }

    /** Returns a reader of the summary of {@code brokermeter client} whose rate excludes the warm-up, as that of {@link #perfTest} does. */
    static OutputReader steady() {
        return lines -> new Outcome(number(lines, "--- total received: +(\\d+)"),
            number(lines, "--- mean received: +([0-9.]+) msg/sec.*"), measured(lines));
    }

    /**
     * Returns a reader of the output of {@code brokermeter client} that averages like a tool with snapshots of whole seconds: confirmed
     * sends over the last whole seconds of sending, from the end of the first second on.
     *
     * @param most maximum number of seconds
     */
    static OutputReader lastSends(int most) {
        Pattern live = Pattern.compile("--- completed: +(\\d+) msg/sec");
        return lines -> {
            List<Double> seconds = lines.stream().map(live::matcher).filter(Matcher::matches)
                .map(rate -> Double.valueOf(rate.group(1))).toList();
            int last = seconds.size() - 1;
            // After the last send comes the drain, and the second of that send was not used for sending in full.
            while (last >= 0 && seconds.get(last) == 0) {
                last--;
            }
            if (last < 2) {
                throw new IllegalStateException(String.format(Locale.ROOT,
                    "There is no whole second of sending behind the first; the last lines are:%n%s", tail(lines)));
            }
            double perSecond = seconds.subList(Math.max(1, last - most), last).stream().mapToDouble(d -> d).average().orElse(Double.NaN);
            return new Outcome(number(lines, "--- total completed: +(\\d+)"), perSecond, measured(lines));
        };
    }

    /**
     * Returns a reader of the lines that RabbitMQ PerfTest prints once a second. The rate is that between the first line at or after the
     * end of the warm-up and the last line. The number of messages is that of the whole run: the tool prints no line for the partial second
     * at its end, which is counted at that rate.
     *
     * @param warmup seconds that the rate excludes
     * @param asked requested duration of the run, in seconds
     */
    static OutputReader perfTest(double warmup, double asked) {
        Pattern second = Pattern.compile("id: .*, time ([0-9.]+) s, .*received: ([0-9,]+) msg/s,.*");
        return lines -> {
            double last = 0;
            double from = Double.NaN;
            double total = 0;
            double measured = 0;
            for (String line : lines) {
                Matcher matcher = second.matcher(line);
                if (matcher.matches()) {
                    double time = Double.parseDouble(matcher.group(1));
                    double messages = Double.parseDouble(matcher.group(2).replace(",", "")) * (time - last);
                    total += messages;
                    if (!Double.isNaN(from)) {
                        measured += messages;
                    } else if (time >= warmup) {
                        from = time;
                    }
                    last = time;
                }
            }
            if (Double.isNaN(from) || last <= from) {
                throw new IllegalStateException(
                    String.format(Locale.ROOT, "No two lines like %s are later than %s s; the last lines are:%n%s",
                        second, warmup, tail(lines)));
            }
            double perSecond = measured / (last - from);
            return new Outcome(total + perSecond * Math.max(0, asked - last), perSecond, Map.of());
        };
    }

    private static String tail(List<String> lines) {
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    }

    /** Returns the last number that {@code pattern} finds; fails when no line matches. */
    static double number(List<String> lines, String pattern) {
        return find(lines, pattern).orElseThrow(() -> new IllegalStateException(
            String.format(Locale.ROOT, "No line is like %s; the last lines are:%n%s", pattern, tail(lines))));
    }

    /** Returns the last number that {@code pattern} finds, without grouping commas; empty when no line matches. */
    static Optional<Double> find(List<String> lines, String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        Double found = null;
        for (String line : lines) {
            Matcher matcher = compiled.matcher(line);
            if (matcher.matches()) {
                found = Double.valueOf(matcher.group(1).replace(",", ""));
            }
        }
        return Optional.ofNullable(found);
    }
}
