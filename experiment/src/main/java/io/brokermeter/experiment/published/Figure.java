package io.brokermeter.experiment.published;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Quantity.Unit;
import org.jspecify.annotations.Nullable;

/**
 * A published figure. Immutable.
 *
 * @param name the figure, one of {@link Known#ALL}
 * @param text the value as it was written
 * @param low least value that the text may mean, in the unit of {@link Known#unit}
 * @param high greatest value that the text may mean; equal to {@code low} for a single number
 */
public record Figure(Known name, String text, double low, double high) {

    private static final Pattern FORM = Pattern.compile(
        "(?:about |~ ?|over |under )?([0-9][0-9,]*(?:\\.[0-9]+)?)(?:(?: to |\\.\\.)([0-9][0-9,]*(?:\\.[0-9]+)?))? ?(/s|%|us|\u00b5s|ms|s|)");

    /**
     * A figure that can be published.
     *
     * @param key its key in a row of {@code published}
     * @param unit unit of its values
     * @param doc description, one sentence
     */
    public record Known(String key, Unit unit, String doc) {

        /** All figures that can be published. */
        public static final List<Known> ALL = all();

        /** Returns the figure with a key, or null when there is none. */
        public static @Nullable Known of(String key) {
            return ALL.stream().filter(one -> one.key.equals(key)).findFirst().orElse(null);
        }

        private static List<Known> all() {
            List<Known> all = new ArrayList<>(List.of(
                new Known("messages", Unit.MESSAGES, "Messages sent."),
                new Known("success", Unit.PERCENT, "Messages that the broker confirmed, of those sent."),
                new Known("seconds", Unit.SECONDS, "How long it took."),
                new Known("sent", Unit.PER_SECOND, "Messages confirmed a second; with a warm-up, messages sent a second after it."),
                new Known("received", Unit.PER_SECOND, "Messages received a second; of several groups of consumers by the first."),
                new Known("blocked", Unit.PER_SECOND, "Sends a second that had to wait."),
                new Known("brokerCpu", Unit.PERCENT, "CPU of the broker; 100% is one core."),
                new Known("brokerMemory", Unit.PERCENT, "Resident memory of the broker, of the machine's.")));
            for (String time : List.of("send Send time", "transfer Transfer time", "response Response time", "delay Send delay",
                "roundTrip Round trip")) {
                String[] words = time.split(" ", 2);
                for (String part : List.of("Mean mean", "P50 median", "P90 90th percentile", "P99 99th percentile",
                    "P999 99.9th percentile",
                    "P9999 99.99th percentile", "Max longest")) {
                    String[] which = part.split(" ", 2);
                    all.add(new Known(words[0] + which[0], Unit.MICROS, words[1] + ", " + which[1] + "."));
                }
            }
            return List.copyOf(all);
        }
    }

    /**
     * Parses a value such as {@code 29922.20/s}, {@code 96.6%}, {@code 113.01us}, {@code about 9500/s} or {@code 9000..11000/s}.
     *
     * @throws UsageException with one sentence that has valid examples
     */
    public static Figure parse(Known name, String text) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw wrong(name, text);
        }
        double factor = switch (form.group(3)) {
            case "/s" -> name.unit == Unit.PER_SECOND ? 1 : Double.NaN;
            case "%" -> name.unit == Unit.PERCENT ? 1 : Double.NaN;
            case "us", "\u00b5s" -> name.unit == Unit.MICROS ? 1 : name.unit == Unit.SECONDS ? 1e-6 : Double.NaN;
            case "ms" -> name.unit == Unit.MICROS ? 1e3 : name.unit == Unit.SECONDS ? 1e-3 : Double.NaN;
            case "s" -> name.unit == Unit.MICROS ? 1e6 : name.unit == Unit.SECONDS ? 1 : Double.NaN;
            default -> name.unit == Unit.MESSAGES ? 1 : Double.NaN;
        };
        if (Double.isNaN(factor)) {
            throw wrong(name, text);
        }
        double low = number(form.group(1)) * factor;
        double high = form.group(2) == null ? low : number(form.group(2)) * factor;
        return new Figure(name, text.strip(), low, high);
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace(",", ""));
    }

    private static UsageException wrong(Known name, String text) {
        return new UsageException("'" + text + "' is not a figure of this kind, which looks like " + switch (name.unit) {
            case PER_SECOND -> "29922.20/s or about 9500/s or 9000..11000/s.";
            case PERCENT -> "96.6%.";
            case MICROS -> "113.01us or 1.5ms.";
            case SECONDS -> "33.4s.";
            case MESSAGES, COUNT, BYTES, BYTES_PER_SECOND -> "1000000.";
        });
    }
}
