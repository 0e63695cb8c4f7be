package io.brokermeter.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds a tool's own figures in the lines that it printed. */
interface OutputReader {

    /** @throws IllegalStateException when the lines do not have them */
    Outcome read(List<String> lines);

    /**
     * What a run came to by its tool's own count.
     *
     * @param messages messages that the CPU time is divided by: received ones where the tool receives
     * @param perSecond the rate of those
     * @param further other figures, by the name of their row
     */
    record Outcome(double messages, double perSecond, Map<String, Double> further) {}

    /**
     * The output of {@code artemis perf client} and of {@code brokermeter client}, which are alike. The rate is the median
     * of the seconds after the warm-up.
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
            return new Outcome(received, seconds.isEmpty() ? Double.NaN : Figures.median(seconds), further);
        };
    }

    /** The summary of {@code brokermeter producer} for a number of messages: all of them, until the last is confirmed. */
    static OutputReader producer() {
        return lines -> {
            double messages = number(lines, "--- total completed: +(\\d+).*");
            return new Outcome(messages, messages / number(lines, "--- elapsed: +([0-9.]+) s"), Map.of());
        };
    }

    /** The summary of {@code brokermeter consumer} or {@code client} for a number of messages. */
    static OutputReader receiver() {
        return lines -> {
            double messages = number(lines, "--- total received: +(\\d+)");
            return new Outcome(messages, messages / number(lines, "--- elapsed: +([0-9.]+) s"), Map.of());
        };
    }

    /** The summary of {@code brokermeter client} whose rate leaves its warm-up out, as that of {@link #perfTest} does. */
    static OutputReader steady() {
        return lines -> new Outcome(number(lines, "--- total received: +(\\d+)"),
            number(lines, "--- mean received: +([0-9.]+) msg/sec"), Map.of());
    }

    /**
     * The output of {@code brokermeter client} as a tool averages its sends that keeps snapshots of whole seconds: confirmed sends over the
     * last whole seconds of sending, from the end of the first second on.
     *
     * @param most how many seconds at most
     */
    static OutputReader lastSends(int most) {
        Pattern live = Pattern.compile("--- completed: +(\\d+) msg/sec");
        return lines -> {
            List<Double> seconds = lines.stream().map(live::matcher).filter(Matcher::matches)
                .map(rate -> Double.valueOf(rate.group(1))).toList();
            int last = seconds.size() - 1;
            // Behind the last send is the drain, and the second of that send is none that was sent in from its begin to its end.
            while (last >= 0 && seconds.get(last) == 0) {
                last--;
            }
            if (last < 2) {
                throw new IllegalStateException(String.format(Locale.ROOT,
                    "There is no whole second of sending behind the first; the last lines are:%n%s", tail(lines)));
            }
            double perSecond = seconds.subList(Math.max(1, last - most), last).stream().mapToDouble(d -> d).average().orElse(Double.NaN);
            return new Outcome(number(lines, "--- total completed: +(\\d+)"), perSecond, Map.of());
        };
    }

    /**
     * The lines that RabbitMQ PerfTest prints once a second. The rate is of what comes between the first line at or after the end of the
     * warm-up and the last line. Messages are those of the whole run: it prints no line for what is left of a second at its end, which
     * counts at that rate.
     *
     * @param warmup seconds that the rate leaves out
     * @param asked how long it was to run, in seconds
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

    /** The only number that {@code pattern} finds, or the last one. */
    static double number(List<String> lines, String pattern) {
        return find(lines, pattern).orElseThrow(() -> new IllegalStateException(
            String.format(Locale.ROOT, "No line is like %s; the last lines are:%n%s", pattern, tail(lines))));
    }

    /** The last number that {@code pattern} finds; grouping commas are left out. */
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
