package io.brokermeter.engine.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The load of a group: how many messages its producers together send, and when. */
public sealed interface Load {

    /** Sending as fast as confirmations allow. */
    record AllOut() implements Load {}

    /** No sending at all. */
    record Silence() implements Load {}

    /** A constant rate. */
    record Constant(Rate rate) implements Load {}

    /**
     * Stretches one after the other; the final rate of the last one holds on.
     *
     * @param steps at least one stretch
     */
    record Steps(List<Step> steps) implements Load {

        public Steps {
            steps = List.copyOf(steps);
            if (steps.isEmpty()) {
                throw new UsageException("A load of steps needs at least one, like steps:1k@10s.");
            }
        }
    }

    /**
     * A stretch of time in which the rate is constant or changes linearly.
     *
     * @param from messages a second at its beginning, 0 or more
     * @param to messages a second at its end, 0 or more
     * @param length longer than zero
     */
    record Step(double from, double to, Duration length) {

        public Step {
            if (length.isZero() || length.isNegative()) {
                throw new UsageException("A step must be longer than 0.");
            }
        }
    }

    /**
     * A rate that follows a sine around a mean, and begins at the mean, rising.
     *
     * @param mean messages a second
     * @param amplitude how far the rate goes up and down, messages a second, at most the mean
     * @param period period of the sine
     */
    record Sine(double mean, double amplitude, Duration period) implements Load {

        public Sine {
            if (mean <= 0 || amplitude > mean) {
                throw new UsageException("A sine load needs a mean above 0 and an amplitude that is not larger than the mean.");
            }
            if (period.isZero()) {
                throw new UsageException("The period of a sine load must be longer than 0.");
            }
        }
    }

    /**
     * Bursts of a constant rate with silence between them. Without the silences the schedule is that of the constant rate, so
     * bursts of one and a half messages have one and two messages in turn.
     *
     * @param rate rate within a burst
     * @param on length of a burst
     * @param off length of the silence after it
     */
    record Bursts(Rate rate, Duration on, Duration off) implements Load {

        public Bursts {
            if (on.isZero()) {
                throw new UsageException("Bursts need a length above 0.");
            }
        }
    }

    /**
     * Independent arrivals: the times between messages are exponentially distributed.
     *
     * @param mean messages a second
     * @param seed seed from which the same arrivals follow again
     */
    record Poisson(double mean, long seed) implements Load {

        public Poisson {
            if (mean <= 0) {
                throw new UsageException("A Poisson load needs a mean rate above 0.");
            }
        }
    }

    /**
     * The arrival times of a recording.
     *
     * @param file file from which they were read
     * @param arrivals the arrival times
     */
    record Trace(Path file, Arrivals arrivals) implements Load {}

    /** Returns the number of messages after which the load has no more; {@link Long#MAX_VALUE} for a load that goes on. */
    default long messages() {
        return switch (this) {
            case Silence _ -> 0;
            case Trace(Path _, Arrivals arrivals) -> arrivals.count();
            // The last step holds on, unless it is silence. A sum of fractions may be a little above a whole number of messages.
            case Steps(List<Step> steps) when steps.getLast().to == 0 -> (long) Math.ceil(
                steps.stream().mapToDouble(s -> (s.from + s.to) / 2 * s.length.toNanos() / 1e9).sum() - 1e-6);
            default -> Long.MAX_VALUE;
        };
    }

    /** Returns this load with {@code factor} times the rate. */
    default Load times(int factor) {
        return switch (this) {
            case AllOut _,Silence _ -> this;
            case Constant(Rate rate) -> new Constant(rate.times(factor));
            case Steps(List<Step> steps) ->
                new Steps(steps.stream().map(s -> new Step(s.from * factor, s.to * factor, s.length)).toList());
            case Sine(double mean, double amplitude, Duration period) -> new Sine(mean * factor, amplitude * factor, period);
            case Bursts(Rate rate, Duration on, Duration off) -> new Bursts(rate.times(factor), on, off);
            case Poisson(double mean, long seed) -> new Poisson(mean * factor, seed);
            case Trace _ -> throw new UsageException("A trace has its own timing, so it cannot be a rate of each producer.");
        };
    }

    /**
     * Reads {@code 10k} (a constant rate), {@code unlimited}, {@code none}, {@code steps:1k@10s,1k..5k@30s,5k@1m}, {@code sine:5k,4k@30s}
     * (mean, amplitude, period), {@code bursts:10k@1s/4s} (rate, burst, silence), {@code poisson:5k} or {@code trace:FILE}.
     *
     * @param seed seed of a random load
     * @throws UsageException with one sentence that names the wrong part
     */
    static Load parse(String text, long seed) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return switch (text.strip().toLowerCase(Locale.ROOT)) {
                case "unlimited" -> new AllOut();
                case "none" -> new Silence();
                default -> new Constant(Rate.parse(text));
            };
        }
        String rest = text.substring(colon + 1).strip();
        return switch (text.substring(0, colon).strip().toLowerCase(Locale.ROOT)) {
            case "constant" -> new Constant(Rate.parse(rest));
            case "steps", "ramp" -> steps(rest);
            case "sine" -> {
                String[] parts = split(text, rest, '@');
                String[] rates = split(text, parts[0], ',');
                yield new Sine(rate(rates[0]), rate(rates[1]), Units.duration(parts[1], "s"));
            }
            case "bursts" -> {
                String[] parts = split(text, rest, '@');
                String[] lengths = split(text, parts[1], '/');
                yield new Bursts(Rate.parse(parts[0]), Units.duration(lengths[0], "s"), Units.duration(lengths[1], "s"));
            }
            case "poisson" -> new Poisson(rate(rest), seed);
            case "trace" -> {
                Path file = Path.of(rest);
                yield new Trace(file, Arrivals.read(file));
            }
            default -> throw new UsageException("Load '" + text
                + "' must be a rate, unlimited or none, or begin with steps:, sine:, bursts:, poisson: or trace:.");
        };
    }

    private static Load steps(String text) {
        List<Step> steps = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String[] halves = split("steps:" + text, part, '@');
            int dots = halves[0].indexOf("..");
            double from = rate(dots < 0 ? halves[0] : halves[0].substring(0, dots));
            double to = dots < 0 ? from : rate(halves[0].substring(dots + 2));
            steps.add(new Step(from, to, Units.duration(halves[1], "s")));
        }
        return new Steps(steps);
    }

    private static String[] split(String whole, String text, char separator) {
        int at = text.indexOf(separator);
        if (at < 1 || at == text.length() - 1) {
            throw new UsageException("Load '" + whole + "' lacks something before or after a '" + separator + "' in '" + text
                + "'; forms are steps:1k@10s,1k..5k@30s and sine:5k,4k@30s and bursts:10k@1s/4s.");
        }
        return new String[] {text.substring(0, at).strip(), text.substring(at + 1).strip()};
    }

    /** Reads a rate in messages per second, which may be 0 here. */
    private static double rate(String text) {
        return Rate.isZero(text) ? 0 : Rate.parse(text).perSecond();
    }
}
