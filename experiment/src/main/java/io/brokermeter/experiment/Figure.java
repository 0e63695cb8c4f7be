package io.brokermeter.experiment;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.engine.scenario.UsageException;

/**
 * A published figure.
 *
 * @param name which one, as {@link Known} lists them
 * @param text as it was written
 * @param low the least that it may mean, in the unit of {@link Known#unit}
 * @param high the most that it may mean; the same as {@code low} for a single number
 */
public record Figure(Known name, String text, double low, double high) {

    private static final Pattern FORM = Pattern.compile(
            "(?:about |~ ?|over |under )?([0-9][0-9,]*(?:\\.[0-9]+)?)(?:(?: to |\\.\\.)([0-9][0-9,]*(?:\\.[0-9]+)?))? ?(/s|%|us|\u00b5s|ms|s|)");

    /** What a figure counts in. */
    public enum Unit { PER_SECOND, PERCENT, MICROSECONDS, SECONDS, COUNT }

    /** Every figure that there is. */
    public enum Known {
        MESSAGES("messages", Unit.COUNT, "Messages sent."),
        SUCCESS("success", Unit.PERCENT, "Messages that the broker confirmed, of those sent."),
        SECONDS("seconds", Unit.SECONDS, "How long it took."),
        SENT("sent", Unit.PER_SECOND, "Messages confirmed a second."),
        RECEIVED("received", Unit.PER_SECOND, "Messages received a second."),
        BLOCKED("blocked", Unit.PER_SECOND, "Sends a second that had to wait."),
        BROKER_CPU("brokerCpu", Unit.PERCENT, "CPU of the broker; 100% is one core."),
        BROKER_MEMORY("brokerMemory", Unit.PERCENT, "Resident memory of the broker, of the machine's."),
        SEND_MEAN("sendMean", Unit.MICROSECONDS, "Send time, mean."),
        SEND_P50("sendP50", Unit.MICROSECONDS, "Send time, median."),
        SEND_P90("sendP90", Unit.MICROSECONDS, "Send time, 90th percentile."),
        SEND_P99("sendP99", Unit.MICROSECONDS, "Send time, 99th percentile."),
        SEND_P999("sendP999", Unit.MICROSECONDS, "Send time, 99.9th percentile."),
        SEND_P9999("sendP9999", Unit.MICROSECONDS, "Send time, 99.99th percentile."),
        SEND_MAX("sendMax", Unit.MICROSECONDS, "Send time, longest."),
        TRANSFER_MEAN("transferMean", Unit.MICROSECONDS, "Transfer time, mean."),
        TRANSFER_P50("transferP50", Unit.MICROSECONDS, "Transfer time, median."),
        TRANSFER_P90("transferP90", Unit.MICROSECONDS, "Transfer time, 90th percentile."),
        TRANSFER_P99("transferP99", Unit.MICROSECONDS, "Transfer time, 99th percentile."),
        TRANSFER_P999("transferP999", Unit.MICROSECONDS, "Transfer time, 99.9th percentile."),
        TRANSFER_P9999("transferP9999", Unit.MICROSECONDS, "Transfer time, 99.99th percentile."),
        TRANSFER_MAX("transferMax", Unit.MICROSECONDS, "Transfer time, longest."),
        RESPONSE_MEAN("responseMean", Unit.MICROSECONDS, "Response time, mean."),
        RESPONSE_P50("responseP50", Unit.MICROSECONDS, "Response time, median."),
        RESPONSE_P90("responseP90", Unit.MICROSECONDS, "Response time, 90th percentile."),
        RESPONSE_P99("responseP99", Unit.MICROSECONDS, "Response time, 99th percentile."),
        RESPONSE_P999("responseP999", Unit.MICROSECONDS, "Response time, 99.9th percentile."),
        RESPONSE_P9999("responseP9999", Unit.MICROSECONDS, "Response time, 99.99th percentile."),
        RESPONSE_MAX("responseMax", Unit.MICROSECONDS, "Response time, longest."),
        DELAY_MEAN("delayMean", Unit.MICROSECONDS, "Send delay, mean."),
        DELAY_P50("delayP50", Unit.MICROSECONDS, "Send delay, median."),
        DELAY_P90("delayP90", Unit.MICROSECONDS, "Send delay, 90th percentile."),
        DELAY_P99("delayP99", Unit.MICROSECONDS, "Send delay, 99th percentile."),
        DELAY_P999("delayP999", Unit.MICROSECONDS, "Send delay, 99.9th percentile."),
        DELAY_P9999("delayP9999", Unit.MICROSECONDS, "Send delay, 99.99th percentile."),
        DELAY_MAX("delayMax", Unit.MICROSECONDS, "Send delay, longest."),
        ROUND_TRIP_MEAN("roundTripMean", Unit.MICROSECONDS, "Round trip, mean."),
        ROUND_TRIP_P50("roundTripP50", Unit.MICROSECONDS, "Round trip, median."),
        ROUND_TRIP_P90("roundTripP90", Unit.MICROSECONDS, "Round trip, 90th percentile."),
        ROUND_TRIP_P99("roundTripP99", Unit.MICROSECONDS, "Round trip, 99th percentile."),
        ROUND_TRIP_P999("roundTripP999", Unit.MICROSECONDS, "Round trip, 99.9th percentile."),
        ROUND_TRIP_P9999("roundTripP9999", Unit.MICROSECONDS, "Round trip, 99.99th percentile."),
        ROUND_TRIP_MAX("roundTripMax", Unit.MICROSECONDS, "Round trip, longest.");

        private final String key;
        private final Unit unit;
        private final String doc;

        Known(String key, Unit unit, String doc) {
            this.key = key;
            this.unit = unit;
            this.doc = doc;
        }

        /** Its key in a row of {@code published}. */
        public String key() {
            return key;
        }

        public Unit unit() {
            return unit;
        }

        /** What it is, one sentence. */
        public String doc() {
            return doc;
        }
    }

    /**
     * Reads {@code 29922.20/s}, {@code 96.6%}, {@code 113.01us}, {@code about 9500/s}, {@code 9000..11000/s}.
     *
     * @throws UsageException with one sentence that says what is right
     */
    static Figure parse(Known name, String text) {
        Matcher form = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            throw wrong(name, text);
        }
        double factor = switch (form.group(3)) {
            case "/s" -> name.unit == Unit.PER_SECOND ? 1 : Double.NaN;
            case "%" -> name.unit == Unit.PERCENT ? 1 : Double.NaN;
            case "us", "\u00b5s" -> name.unit == Unit.MICROSECONDS ? 1 : name.unit == Unit.SECONDS ? 1e-6 : Double.NaN;
            case "ms" -> name.unit == Unit.MICROSECONDS ? 1e3 : name.unit == Unit.SECONDS ? 1e-3 : Double.NaN;
            case "s" -> name.unit == Unit.MICROSECONDS ? 1e6 : name.unit == Unit.SECONDS ? 1 : Double.NaN;
            default -> name.unit == Unit.COUNT ? 1 : Double.NaN;
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
            case MICROSECONDS -> "113.01us or 1.5ms.";
            case SECONDS -> "33.4s.";
            case COUNT -> "1000000.";
        });
    }
}
