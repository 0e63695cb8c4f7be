package io.brokermeter.network;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The delay, bandwidth and loss of a network. Both directions are alike. Immutable.
 *
 * @param rtt       time that the network adds to a round trip, half of it in each direction
 * @param jitter    the most by which a round trip is shorter or longer than that, uniformly distributed; half of it in each direction. The
 *                  order stays
 * @param bandwidth bits per second in each direction, of all connections to a server together; 0 for no limit
 * @param loss      share of the packets that are lost, from 0 to less than 1; only a link of packets can lose any
 */
public record NetworkRule(Duration rtt, Duration jitter, long bandwidth, double loss) {

    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final long SLOWEST = 1_000;
    private static final String EXAMPLE = "'rtt=10ms jitter=1ms bandwidth=100Mbit loss=0.1%'";
    private static final Pattern NUMBER = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,9})?|\\.[0-9]{1,9})\\s*([a-zA-Z\u00b5/%]*)");
    private static final Map<String, Long> NANOS = Map.of("", 1_000_000L, "ns", 1L, "us", 1_000L, "\u00b5s", 1_000L, "ms", 1_000_000L,
        "s", 1_000_000_000L);
    private static final Map<String, Long> BITS = Map.of("bit", 1L, "kbit", 1_000L, "mbit", 1_000_000L, "gbit", 1_000_000_000L,
        "b/s", 8L, "kb/s", 8_000L, "mb/s", 8_000_000L, "kib/s", 8L << 10, "mib/s", 8L << 20);

    // Declared after the constants that the constructor uses.
    /** A network that adds nothing. */
    public static final NetworkRule NONE = new NetworkRule(Duration.ZERO, Duration.ZERO, 0, 0);

    /** @throws IllegalArgumentException with one sentence, for a rule that no network can follow */
    public NetworkRule {
        if (rtt.isNegative() || rtt.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("A network's rtt of " + time(rtt) + " is not from 0 to 60s.");
        }
        if (jitter.isNegative() || jitter.compareTo(rtt) > 0) {
            throw new IllegalArgumentException("A network's jitter of " + time(jitter) + " is more than its rtt of " + time(rtt)
                + ": no packet comes before it was sent.");
        }
        if (bandwidth != 0 && bandwidth < SLOWEST) {
            throw new IllegalArgumentException("A network's bandwidth of " + bandwidth + "bit is less than 1kbit.");
        }
        if (!(loss >= 0 && loss < 1)) {
            throw new IllegalArgumentException(
                "A network's loss must be from 0% to less than 100%: nothing passes a network that loses all.");
        }
    }

    /** Creates a rule that adds a round-trip time and nothing else. */
    public static NetworkRule rtt(Duration rtt) {
        return new NetworkRule(rtt, Duration.ZERO, 0, 0);
    }

    /**
     * Parses {@code rtt=10ms jitter=1ms bandwidth=100Mbit loss=0.1%}: any of the four, in any order, separated by spaces or commas. A time
     * alone is the round-trip time, in milliseconds without a unit; {@code none} is {@link #NONE}.
     *
     * @throws IllegalArgumentException with one sentence for the user
     */
    public static NetworkRule parse(String text) {
        String stripped = text.strip();
        if (stripped.equalsIgnoreCase("none")) {
            return NONE;
        }
        Duration rtt = Duration.ZERO;
        Duration jitter = Duration.ZERO;
        long bandwidth = 0;
        double loss = 0;
        Set<String> seen = new HashSet<>();
        for (String part : stripped.split("[\\s,]+")) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? "rtt" : part.substring(0, equals).toLowerCase(Locale.ROOT);
            String value = part.substring(equals + 1);
            if (part.isEmpty() || equals < 0 && !NUMBER.matcher(part).matches()) {
                throw new IllegalArgumentException("Network '" + text + "' is not a rule, like " + EXAMPLE + ".");
            }
            if (!seen.add(name)) {
                throw new IllegalArgumentException("Network '" + text + "' has " + name + " twice.");
            }
            switch (name) {
                case "rtt" -> rtt = duration(name, value);
                case "jitter" -> jitter = duration(name, value);
                case "bandwidth" -> bandwidth = bits(value);
                case "loss" -> loss = share(value);
                default -> throw new IllegalArgumentException("A network has no '" + name
                    + "'; it has rtt, jitter, bandwidth and loss, as in " + EXAMPLE + ".");
            }
        }
        return new NetworkRule(rtt, jitter, bandwidth, loss);
    }

    private static Duration duration(String name, String value) {
        Matcher m = NUMBER.matcher(value);
        Long unit = m.matches() ? NANOS.get(m.group(2).toLowerCase(Locale.ROOT)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("A network's " + name + " '" + value + "' is not a time, like 10ms or 250us.");
        }
        return Duration.ofNanos(whole(m.group(1), unit, name, value));
    }

    private static long bits(String value) {
        Matcher m = NUMBER.matcher(value);
        Long unit = m.matches() ? BITS.get(m.group(2).toLowerCase(Locale.ROOT)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("A network's bandwidth '" + value + "' is not a rate, like 100Mbit (per second) or 12MB/s.");
        }
        long bits = whole(m.group(1), unit, "bandwidth", value);
        if (bits == 0) {
            throw new IllegalArgumentException("A network's bandwidth of 0 lets nothing pass; leave it out for no limit.");
        }
        return bits;
    }

    private static double share(String value) {
        Matcher m = NUMBER.matcher(value);
        if (!m.matches() || !(m.group(2).isEmpty() || m.group(2).equals("%"))) {
            throw new IllegalArgumentException("A network's loss '" + value + "' is not a part of the packets, like 0.1% or 0.001.");
        }
        return new BigDecimal(m.group(1)).movePointLeft(m.group(2).isEmpty() ? 0 : 2).doubleValue();
    }

    private static long whole(String number, long unit, String name, String value) {
        try {
            return new BigDecimal(number).multiply(BigDecimal.valueOf(unit)).toBigInteger().longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("A network's " + name + " '" + value + "' is too large.", e);
        }
    }

    /**
     * Returns this rule with a longer delay.
     *
     * @param eachWay time that is added to each direction
     * @throws IllegalArgumentException with one sentence, when no network can follow the new rule
     */
    public NetworkRule delayed(Duration eachWay) {
        return new NetworkRule(rtt.plus(eachWay.multipliedBy(2)), jitter, bandwidth, loss);
    }

    /** Returns whether the rule adds nothing at all. */
    public boolean isNone() {
        return equals(NONE);
    }

    /** Returns the delay of each direction without jitter, in nanoseconds. */
    long oneWayNanos() {
        return rtt.toNanos() / 2;
    }

    /** Returns the rule as a text that {@link #parse} accepts. */
    @Override
    public String toString() {
        if (isNone()) {
            return "none";
        }
        StringBuilder text = new StringBuilder();
        if (!rtt.isZero()) {
            text.append(" rtt=").append(time(rtt));
        }
        if (!jitter.isZero()) {
            text.append(" jitter=").append(time(jitter));
        }
        if (bandwidth != 0) {
            text.append(" bandwidth=").append(rate(bandwidth));
        }
        if (loss != 0) {
            text.append(" loss=").append(new BigDecimal(Double.toString(loss)).movePointRight(2).stripTrailingZeros().toPlainString())
                .append('%');
        }
        return text.substring(1);
    }

    private static String time(Duration time) {
        long nanos = time.toNanos();
        return nanos == 0 ? "0" : nanos % 1_000_000_000 == 0 ? nanos / 1_000_000_000 + "s" : nanos % 1_000_000 == 0
            ? nanos / 1_000_000 + "ms" : nanos % 1_000 == 0 ? nanos / 1_000 + "us" : nanos + "ns";
    }

    private static String rate(long bits) {
        return bits % 1_000_000_000 == 0 ? bits / 1_000_000_000 + "Gbit" : bits % 1_000_000 == 0 ? bits / 1_000_000 + "Mbit"
            : bits % 1_000 == 0 ? bits / 1_000 + "kbit" : bits + "bit";
    }
}
