package io.brokermeter.engine.scenario;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.measure.Measure;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.measure.Quantity;
import io.brokermeter.spi.parameter.Nearest;
import org.jspecify.annotations.Nullable;

/**
 * A limit that a figure of a run must keep.
 *
 * @param text the threshold as it was written, without {@code abort}
 * @param phase the phase whose figure is limited, or null for the whole run
 * @param figure the figure that is compared with the limit
 * @param comparison how the figure is compared
 * @param limit limit in the unit of the figure
 * @param abort whether the run ends as soon as the limit is not kept
 */
public record Threshold(String text, @Nullable String phase, Subject figure, Comparison comparison, double limit, boolean abort) {

    private static final Pattern FORM = Pattern.compile(
        "\\s*(?:phase\\(([^()]*)\\)\\s*\\.\\s*)?([A-Za-z][A-Za-z0-9._-]*)\\s*(<=|>=|==|!=|=|<|>)\\s*(\\S(?:.*?\\S)?)\\s*");
    private static final Pattern ABORT = Pattern.compile("(?i)(?:\\s*,\\s*|\\s+)abort\\s*$");
    private static final Pattern PERCENTILE = Pattern.compile("p(\\d{1,2}(?:\\.\\d{1,6})?)");
    private static final Pattern NUMBER = Pattern.compile("([0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)\\s*([a-zA-Z%\u00b5/]*)");
    private static final Map<String, Double> SECONDS =
        Map.of("ns", 1e-9, "us", 1e-6, "\u00b5s", 1e-6, "ms", 1e-3, "s", 1.0, "m", 60.0, "min", 60.0, "h", 3600.0);
    private static final Map<String, Double> BYTES = Map.of("", 1.0, "b", 1.0, "kb", 1e3, "mb", 1e6, "gb", 1e9, "k", 1024.0, "kib", 1024.0,
        "m", 1048576.0, "mib", 1048576.0);
    private static final Map<String, Double> MORE_BYTES = Map.of("g", 1073741824.0, "gib", 1073741824.0, "tib", 1099511627776.0);

    /** A figure of a run. */
    public sealed interface Subject {

        /** Returns the name of the figure, for example {@code lost} or {@code response.p99}. */
        String key();

        Quantity.Unit unit();
    }

    /** A figure that is a single number. */
    public record Single(Quantity quantity) implements Subject {

        @Override
        public String key() {
            return quantity.key();
        }

        @Override
        public Quantity.Unit unit() {
            return quantity.unit();
        }
    }

    /**
     * A part of the distribution of a time.
     *
     * @param part the part as it is written: {@code mean}, {@code max}, {@code p99.9}
     * @param percentile percentile from 0 to 100, where 100 is the maximum; NaN for the mean
     */
    public record Time(Metric metric, String part, double percentile) implements Subject {

        @Override
        public String key() {
            return metric.key() + "." + part;
        }

        @Override
        public Quantity.Unit unit() {
            return Quantity.Unit.MICROS;
        }
    }

    /** The ways in which a figure is compared with its limit. */
    public enum Comparison {
        BELOW("<"), AT_MOST("<="), ABOVE(">"), AT_LEAST(">="), EQUAL("=="), OTHER("!=");

        private final String sign;

        Comparison(String sign) {
            this.sign = sign;
        }

        public String sign() {
            return sign;
        }

        static Comparison of(String sign) {
            return sign.equals("=") ? EQUAL : Arrays.stream(values()).filter(one -> one.sign.equals(sign)).findFirst().orElseThrow();
        }

        /** Returns whether a value keeps the limit; an unknown value, which is NaN, does not. */
        public boolean holds(double value, double limit) {
            return !Double.isNaN(value) && switch (this) {
                case BELOW -> value < limit;
                case AT_MOST -> value <= limit;
                case ABOVE -> value > limit;
                case AT_LEAST -> value >= limit;
                case EQUAL -> value == limit;
                case OTHER -> value != limit;
            };
        }
    }

    /**
     * Reads {@code response.p99 < 10ms}, {@code lost == 0} or {@code phase(burst).received.rate >= 5k/s}; {@code abort} may
     * follow, after a blank or a comma.
     *
     * @throws UsageException with one sentence that says what is right
     */
    public static Threshold parse(String text) {
        Matcher abort = ABORT.matcher(text);
        boolean aborts = abort.find();
        String expression = (aborts ? text.substring(0, abort.start()) : text).strip();
        Matcher form = FORM.matcher(expression);
        if (!form.matches()) {
            throw new UsageException("Threshold '" + text.strip() + "' must be a figure, a comparison and a limit, like "
                + "response.p99 < 10ms or lost == 0.");
        }
        Subject figure = figure(form.group(2), expression);
        Comparison comparison = Comparison.of(form.group(3));
        Threshold threshold = new Threshold(expression, form.group(1) == null ? null : form.group(1).strip(), figure, comparison,
            limit(form.group(4), figure, expression), false);
        return aborts ? threshold.aborting() : threshold;
    }

    /**
     * Returns this threshold as one that ends the run.
     *
     * @throws UsageException if the figure cannot show before the end of the run that the limit is not kept
     */
    public Threshold aborting() {
        if (figure instanceof Single single) {
            Quantity quantity = single.quantity();
            if (quantity.live() == Quantity.Live.NEVER || phase != null && quantity == Measure.ELAPSED) {
                throw new UsageException("Threshold '" + text + "' cannot end a run: '" + figure.key() + "' is known when the run is over; "
                    + "leave abort out.");
            }
            if (quantity.live() == Quantity.Live.GROWS && (comparison == Comparison.ABOVE || comparison == Comparison.AT_LEAST
                || comparison == Comparison.OTHER || comparison == Comparison.EQUAL && limit != 0)) {
                throw new UsageException(
                    "Threshold '" + text + "' cannot end a run: '" + figure.key() + "' grows up to the run's end; leave "
                        + "abort out, or give an upper limit.");
            }
        }
        return new Threshold(text, phase, figure, comparison, limit, true);
    }

    /**
     * Refuses this threshold for a run that does not have its figure.
     *
     * @throws UsageException with one sentence
     */
    public void requireIn(Scenario scenario) {
        Quantity.Needs needs = switch (figure) {
            case Single single -> single.quantity().needs();
            case Time time -> time.metric().needs();
        };
        boolean replies = figure instanceof Time time && time.metric() == Metric.RESPONSE
            && Quantity.Needs.REQUESTS.isMetBy(scenario);
        if (!needs.isMetBy(scenario) && !replies) {
            throw new UsageException("Threshold '" + text + "' is about '" + figure.key() + "', which this run does not have: it needs "
                + needs.words() + ".");
        }
        if (phase == null) {
            return;
        }
        List<String> phases = scenario.phases().stream().map(Phase::name).toList();
        if (!phases.contains(phase)) {
            String near = Nearest.to(phase, phases);
            throw new UsageException("Threshold '" + text + "' is about a phase '" + phase + "', which this run does not have"
                + (near != null ? "; did you mean '" + near + "'?"
                    : phases.isEmpty() ? "; it has no phases." : "; it has " + String.join(", ", phases) + "."));
        }
        if (figure instanceof Single single && !single.quantity().isOfPhases()) {
            throw new UsageException("Threshold '" + text + "' is about '" + figure.key() + "' of a phase, which only a whole run has; "
                + "phases have times, " + String.join(", ", Quantity.all().stream().filter(Quantity::isOfPhases)
                    .map(Quantity::key).toList())
                + ".");
        }
    }

    private static Subject figure(String name, String text) {
        String plain = plain(name);
        for (Quantity quantity : Quantity.all()) {
            if (plain(quantity.key()).equals(plain)) {
                return new Single(quantity);
            }
        }
        int dot = name.indexOf('.');
        for (Metric metric : Metric.values()) {
            if (dot > 0 && plain(metric.key()).equals(plain(name.substring(0, dot)))) {
                return time(metric, name.substring(dot + 1).toLowerCase(Locale.ROOT), text);
            }
        }
        List<String> all = new ArrayList<>(Quantity.all().stream().map(Quantity::key).toList());
        for (Metric metric : Metric.values()) {
            for (String part : List.of("mean", "p50", "p90", "p99", "p99.9", "p99.99", "max")) {
                all.add(metric.key() + "." + part);
            }
        }
        String near = Nearest.to(name, all);
        throw new UsageException("Threshold '" + text + "': there is no figure '" + name + "'" + (near != null ? "; did you mean '" + near
            + "'?" : ", but for example response.p99, send.max, sent.rate, received.rate, lost, duplicates, failed."));
    }

    private static Time time(Metric metric, String part, String text) {
        if (part.equals("mean")) {
            return new Time(metric, part, Double.NaN);
        }
        if (part.equals("max")) {
            return new Time(metric, part, 100);
        }
        Matcher percentile = PERCENTILE.matcher(part.equals("median") ? "p50" : part);
        if (!percentile.matches() || Double.parseDouble(percentile.group(1)) <= 0) {
            throw new UsageException(
                "Threshold '" + text + "': '" + part + "' is no part of a time; there are mean, max and percentiles like "
                    + "p50, p99 and p99.9.");
        }
        return new Time(metric, percentile.group(), Double.parseDouble(percentile.group(1)));
    }

    /** Returns a name without hyphens, underscores and capital letters, which make no difference. */
    private static String plain(String name) {
        return name.replaceAll("[_-]", "").toLowerCase(Locale.ROOT);
    }

    private static double limit(String text, Subject figure, String expression) {
        double value = Double.NaN;
        try {
            Matcher number = NUMBER.matcher(text);
            if (number.matches()) {
                BigDecimal digits = new BigDecimal(number.group(1));
                String unit = number.group(2).toLowerCase(Locale.ROOT);
                value = switch (figure.unit()) {
                    case MESSAGES, COUNT -> Units.count(text);
                    case PERCENT -> unit.equals("%") ? digits.doubleValue() : Double.NaN;
                    case PER_SECOND -> digits.signum() == 0 ? 0 : Rate.parse(text).perSecond();
                    case MICROS -> digits.signum() == 0 && unit.isEmpty() ? 0 : times(digits, SECONDS.get(unit), 1e6);
                    case SECONDS -> digits.signum() == 0 && unit.isEmpty() ? 0 : times(digits, SECONDS.get(unit), 1);
                    case BYTES -> times(digits, bytes(unit), 1);
                    // The rest of the number's unit is the time, as in 10MB/s, and may be left out.
                    case BYTES_PER_SECOND -> times(digits, bytes(unit.endsWith("/s") ? unit.substring(0, unit.length() - 2) : unit), 1);
                };
            }
        } catch (UsageException e) {
            // the exception below names the threshold, too
        }
        if (Double.isNaN(value)) {
            throw new UsageException("Threshold '" + expression + "': the limit of '" + figure.key() + "' must be " + figure.unit().form()
                + ", not '" + text + "'.");
        }
        return value;
    }

    private static @Nullable Double bytes(String unit) {
        return BYTES.getOrDefault(unit, MORE_BYTES.get(unit));
    }

    private static double times(BigDecimal digits, @Nullable Double factor, double scale) {
        // 10 ms are 10,000 us, and not a little more or less
        return factor == null ? Double.NaN
            : digits.multiply(BigDecimal.valueOf(factor)).multiply(BigDecimal.valueOf(scale)).doubleValue();
    }
}
