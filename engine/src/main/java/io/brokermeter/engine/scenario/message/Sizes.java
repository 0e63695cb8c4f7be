package io.brokermeter.engine.scenario.message;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;

/** The sizes of bodies, in bytes. */
public sealed interface Sizes {

    /** One size for all bodies. */
    record Fixed(int bytes) implements Sizes {}

    /** Several sizes in turn. */
    record Cycle(List<Integer> bytes) implements Sizes {

        public Cycle {
            bytes = List.copyOf(bytes);
            if (bytes.isEmpty()) {
                throw new UsageException("A list of sizes needs at least one, like list:100,1KiB.");
            }
        }
    }

    /** All sizes from the smallest to the largest, equally often. */
    record Uniform(int smallest, int largest) implements Sizes {

        public Uniform {
            if (smallest > largest) {
                throw new UsageException("Sizes from " + smallest + " to " + largest + " go backwards.");
            }
        }
    }

    /**
     * Sizes whose logarithm is normally distributed, as is often the case with files and messages.
     *
     * @param median size below which half of the bodies are
     * @param sigma standard deviation of the natural logarithm of the size
     * @param largest size above which none is drawn
     */
    record LogNormal(int median, double sigma, int largest) implements Sizes {

        /** The largest size if none is given, in bytes, unless the median is larger. */
        private static final int MOST = 16 << 20;

        public LogNormal {
            if (median < 1 || !(sigma > 0) || sigma > 10 || largest < median) {
                throw new UsageException("Lognormal sizes need a median of at least 1, a sigma above 0 and at most 10, "
                    + "and a largest size that is not below the median.");
            }
        }
    }

    /** Sizes with shares, as they were counted somewhere. */
    record Empirical(List<Weighted<Integer>> shares) implements Sizes {

        public Empirical {
            shares = List.copyOf(shares);
            if (shares.isEmpty()) {
                throw new UsageException("Empirical sizes need at least one, like empirical:100=70%,10KiB=30%.");
            }
        }
    }

    /**
     * Reads {@code 1KiB}, {@code list:100,1KiB} (in turn), {@code uniform:100..2KiB}, {@code lognormal:1KiB,0.8} (median,
     * sigma, and third the largest, which is otherwise five sigma above the median and at most 16 MiB) or
     * {@code empirical:100=70%,10KiB=30%}.
     *
     * @throws UsageException with one sentence that names the wrong part or the right forms
     */
    static Sizes parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return new Fixed(Units.bytes(text));
        }
        String rest = text.substring(colon + 1).strip();
        return switch (text.substring(0, colon).strip().toLowerCase(Locale.ROOT)) {
            case "fixed" -> new Fixed(Units.bytes(rest));
            case "list" -> new Cycle(Arrays.stream(rest.split(",", -1)).map(Units::bytes).toList());
            case "uniform" -> {
                int dots = rest.indexOf("..");
                if (dots < 0) {
                    throw new UsageException("Sizes '" + text + "' need a smallest and a largest size, like "
                        + "uniform:100..2KiB.");
                }
                yield new Uniform(Units.bytes(rest.substring(0, dots)), Units.bytes(rest.substring(dots + 2)));
            }
            case "lognormal" -> logNormal(text, rest.split(",", -1));
            case "empirical" -> new Empirical(Weighted.parse(rest, '=', Units::bytes));
            default -> throw new UsageException("Sizes '" + text + "' must be a number of bytes like 1KiB, or begin with "
                + "list:, uniform:, lognormal: or empirical:.");
        };
    }

    private static Sizes logNormal(String text, String[] parts) {
        if (parts.length < 2 || parts.length > 3) {
            throw new UsageException("Sizes '" + text + "' need a median and a sigma, and may have a largest size, like "
                + "lognormal:1KiB,0.8 or lognormal:1KiB,0.8,1MiB.");
        }
        int median = Units.bytes(parts[0]);
        double sigma;
        try {
            sigma = Double.parseDouble(parts[1].strip());
        } catch (NumberFormatException e) {
            throw new UsageException("Sigma '" + parts[1].strip() + "' in '" + text + "' is not a number, like 0.8.");
        }
        int largest = parts.length == 3 ? Units.bytes(parts[2])
            : (int) Math.max(median, Math.min(LogNormal.MOST, median * Math.exp(5 * sigma)));
        return new LogNormal(median, sigma, largest);
    }

    /** Returns the size of the smallest possible body, in bytes. */
    default int smallest() {
        return switch (this) {
            case Fixed fixed -> fixed.bytes;
            case Cycle cycle -> cycle.bytes.stream().mapToInt(Integer::intValue).min().orElseThrow();
            case Uniform uniform -> uniform.smallest;
            case LogNormal ignored -> 1;
            case Empirical empirical -> empirical.shares.stream().mapToInt(Weighted::value).min().orElseThrow();
        };
    }

    /** Returns the size of the largest possible body, in bytes. */
    default int largest() {
        return switch (this) {
            case Fixed fixed -> fixed.bytes;
            case Cycle cycle -> cycle.bytes.stream().mapToInt(Integer::intValue).max().orElseThrow();
            case Uniform uniform -> uniform.largest;
            case LogNormal logNormal -> logNormal.largest;
            case Empirical empirical -> empirical.shares.stream().mapToInt(Weighted::value).max().orElseThrow();
        };
    }
}
