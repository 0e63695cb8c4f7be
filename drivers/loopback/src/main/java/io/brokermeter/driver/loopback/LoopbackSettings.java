package io.brokermeter.driver.loopback;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;

/**
 * The faults and delays of a loopback broker; 0 turns a setting off. Times are counted from the broker's first message.
 *
 * @param serviceNanos mean time that the single server of a destination needs for a message, in nanoseconds
 * @param exponential whether service times are exponentially distributed (seeded) instead of constant
 * @param delayNanos delay of each message in nanoseconds, without delaying the messages behind it
 * @param randomDelayNanos upper end of a uniformly distributed (seeded) additional delay, in nanoseconds
 * @param freezeAtNanos time at which the servers stop, in nanoseconds
 * @param freezeNanos how long the servers stop, in nanoseconds
 * @param loseEvery every n-th message is confirmed and never delivered
 * @param duplicateEvery every n-th message is delivered twice
 * @param duplicateDelayNanos time between the first and the second delivery, in nanoseconds
 * @param redelivered whether the second delivery is flagged as redelivered
 * @param reorderEvery every n-th message is overtaken
 * @param reorderDepth number of later messages that overtake it
 * @param corruptEvery every n-th message has its last byte changed
 * @param truncateEvery every n-th message has its last ten bytes removed
 * @param refuseEvery every n-th send fails
 * @param denyEvery every n-th message is delivered although its send fails
 * @param silentEvery every n-th message is delivered and never confirmed
 * @param death the death of the broker
 * @param lingerNanos how long after its confirmation a message is delivered, in nanoseconds
 * @param restores whether connections survive the death: the client then holds sends back, and sends again what was not confirmed
 * @param producing distance of producers from the broker, and their window of unconfirmed messages
 * @param consuming distance of consumers with a listener from the broker, and their window of unacknowledged messages
 */
record LoopbackSettings(
        long serviceNanos, boolean exponential, long delayNanos, long randomDelayNanos, long freezeAtNanos, long freezeNanos,
        long loseEvery, long duplicateEvery, long duplicateDelayNanos, boolean redelivered, long reorderEvery, int reorderDepth,
        long corruptEvery,
        long truncateEvery, long refuseEvery, long denyEvery, long silentEvery, Death death, long lingerNanos, boolean restores,
        Distance producing, Distance consuming) {

    /** All parameters of the driver; times have a unit. */
    static final List<Parameter> ALL = List.of(
        new Parameter("service-rate", "N", "0", "Messages a second that a destination serves, like 500 or 2k; 0 for as many as come."),
        new Parameter("service", "constant|exponential", "constant", "Whether the times of service are all alike or exponential."),
        new Parameter("delay", "TIME", "0s", "Added to each message on its way, without holding up others."),
        new Parameter("random-delay", "TIME", "0s", "The upper end of a uniform delay added to that."),
        new Parameter("linger", "TIME", "0s", "How long after its confirmation a message is delivered."),
        new Parameter("freeze-at", "TIME", "0s", "When destinations stand still, from the broker's first message."),
        new Parameter("freeze-for", "TIME", "0s", "For how long they do; 0s for not at all."),
        new Parameter("lose-every", "N", "0",
            "Every N-th message is confirmed and never delivered; 0 for none, as of all that follow."),
        new Parameter("duplicate-every", "N", "0", "Every N-th message is delivered twice."),
        new Parameter("duplicate-delay", "TIME", "0s", "How long after the first delivery the second comes."),
        new Parameter("redelivered", "true|false", "false", "Whether second deliveries are marked as such."),
        new Parameter("reorder-every", "N", "0", "Every N-th message is overtaken."),
        new Parameter("reorder-depth", "N", "1", "By how many later messages it is."),
        new Parameter("corrupt-every", "N", "0", "Every N-th message has its last byte changed."),
        new Parameter("truncate-every", "N", "0", "Every N-th message has its last ten bytes cut off."),
        new Parameter("refuse-every", "N", "0", "Every N-th send fails."),
        new Parameter("deny-every", "N", "0", "Every N-th message is delivered although its send fails."),
        new Parameter("silent-every", "N", "0", "Every N-th message is delivered and never confirmed."),
        new Parameter("die-at", "TIME", "0s", "When the broker drops every connection, from its first message; 0s for never."),
        new Parameter("die-for", "TIME", "0s", "How long it refuses connections from then on; 0s for ever."),
        new Parameter("die-loses", "N", "0", "How many messages that it had confirmed and not delivered it has lost then."),
        new Parameter("die-repeats", "N", "0", "How many messages that it had delivered it delivers again then."),
        new Parameter("die-keeps", "true|false", "false", "Whether it has kept the messages that it had got and not confirmed."),
        new Parameter("restores", "true|false", "false",
            "Whether connections survive: clients hold sends back meanwhile, and send again what was not confirmed."),
        new Parameter("producer-rtt", "TIME", "0s", "The round trip from producers to the broker."),
        new Parameter("producer-window", "N", "0", "Messages that a producer may have unconfirmed over it; 0 for any number."),
        new Parameter("producer-window-bytes", "N", "0", "Bytes of bodies that it may; 0 for any number."),
        new Parameter("consumer-rtt", "TIME", "0s", "The round trip from the broker to consumers with a listener."),
        new Parameter("consumer-window", "N", "0", "Messages that a consumer may have unacknowledged over it; 0 for any number."),
        new Parameter("consumer-window-bytes", "N", "0", "Bytes of bodies that it may; 0 for any number."));
    private static final Pattern RATE = Pattern.compile("([0-9]*\\.?[0-9]+)(k?)");
    private static final Pattern TIME = Pattern.compile("([0-9]*\\.?[0-9]+)(ns|us|ms|s|m)");
    /** The longest time in nanoseconds, 100 years, which sums of times do not overflow. */
    private static final BigDecimal LONGEST = BigDecimal.valueOf(Duration.ofDays(36_500).toNanos());

    /**
     * The distance between an endpoint and the broker. A message occupies the window until its confirmation or acknowledgement has come
     * back; an empty window accepts one message of any size.
     *
     * @param rttNanos round-trip time in nanoseconds, half of it for each direction
     * @param window the most messages in flight, 0 for no limit
     * @param windowBytes the most bytes of bodies in flight, 0 for no limit
     */
    record Distance(long rttNanos, long window, long windowBytes) {

        private static Distance of(String side, Parameters values) {
            return new Distance(time(values, side + "-rtt"), count(values, side + "-window"), count(values, side + "-window-bytes"));
        }

        boolean isNone() {
            return rttNanos == 0 && window == 0 && windowBytes == 0;
        }

        /** Returns whether another message of {@code size} bytes may leave. */
        boolean hasRoom(long messages, long bytes, long size) {
            return (window == 0 || messages < window) && (windowBytes == 0 || messages == 0 || bytes + size <= windowBytes);
        }
    }

    /**
     * The death of the broker.
     *
     * @param atNanos time at which the broker drops every connection, in nanoseconds
     * @param forNanos how long the broker then refuses connections, in nanoseconds, before it continues with the messages it holds; 0 for
     *     ever
     * @param loses number of messages that the death loses, of those that were confirmed and not delivered: the newest
     * @param repeats number of delivered messages that are delivered again after the death: the newest; {@code redelivered} flags them
     * @param keeps whether the broker keeps messages that it had received and not confirmed
     */
    record Death(long atNanos, long forNanos, int loses, int repeats, boolean keeps) {}

    /** Returns whether what clients send while the broker is dead arrives when it has come back. */
    boolean outlivesDeath() {
        return restores && death.forNanos > 0;
    }

    /** Returns whether messages go straight from the sender to the receiver, on the sending thread. */
    boolean none() {
        return serviceNanos == 0 && delayNanos == 0 && randomDelayNanos == 0 && freezeNanos == 0 && loseEvery == 0
            && duplicateEvery == 0 && reorderEvery == 0 && corruptEvery == 0 && truncateEvery == 0 && refuseEvery == 0 && denyEvery == 0
            && silentEvery == 0
            && death.atNanos == 0 && lingerNanos == 0 && producing.isNone() && consuming.isNone();
    }

    /** Returns the URL with the properties of the settings appended as parameters. */
    static String url(ConnectionSettings settings) {
        StringBuilder url = new StringBuilder(settings.url());
        new TreeMap<>(settings.properties())
            .forEach((name, value) -> url.append(url.indexOf("?") < 0 ? '?' : '&').append(name).append('=').append(value));
        return url.toString();
    }

    /** Returns the parsed URL of the settings; the host is the broker's name, and a port means nothing. */
    static ServerUrl parsed(ConnectionSettings settings) {
        return ServerUrl.parse(settings.url(), Set.of("loopback"), 1);
    }

    /**
     * Reads the parameters of a connection.
     *
     * @throws IllegalArgumentException with one sentence, for an unknown parameter or an invalid value
     */
    static LoopbackSettings of(Driver driver, ConnectionSettings settings) {
        Parameters values = Parameters.of(driver, parsed(settings), settings);
        long reorder = count(values, "reorder-every");
        int reorderDepth = values.number("reorder-depth", 1, Integer.MAX_VALUE);
        return new LoopbackSettings(serviceNanos(values), values.choice("service", "constant", "exponential").equals("exponential"),
            time(values, "delay"), time(values, "random-delay"), time(values, "freeze-at"), time(values, "freeze-for"),
            count(values, "lose-every"), count(values, "duplicate-every"), time(values, "duplicate-delay"), values.flag("redelivered"),
            reorder, reorder == 0 ? 0 : reorderDepth, count(values, "corrupt-every"), count(values, "truncate-every"),
            count(values, "refuse-every"), count(values, "deny-every"), count(values, "silent-every"),
            new Death(time(values, "die-at"), time(values, "die-for"), values.number("die-loses", 0, Integer.MAX_VALUE),
                values.number("die-repeats", 0, Integer.MAX_VALUE), values.flag("die-keeps")),
            time(values, "linger"), values.flag("restores"), Distance.of("producer", values), Distance.of("consumer", values));
    }

    private static long count(Parameters values, String name) {
        return values.longNumber(name, 0);
    }

    /** Returns the nanoseconds that the service of a message takes; 0 for no service. */
    private static long serviceNanos(Parameters values) {
        Matcher m = matched(RATE, values, "service-rate", "a number of messages a second, like 500 or 2k");
        double perSecond = Double.parseDouble(m.group(1)) * (m.group(2).isEmpty() ? 1 : 1_000);
        return perSecond == 0 ? 0 : Math.max(1, Math.round(1e9 / perSecond));
    }

    private static long time(Parameters values, String name) {
        Matcher m = matched(TIME, values, name, "a time with a unit, like 10ms or 1.4s");
        Duration unit = switch (m.group(2)) {
            case "ns" -> Duration.ofNanos(1);
            case "us" -> Duration.ofNanos(1_000);
            case "ms" -> Duration.ofMillis(1);
            case "s" -> Duration.ofSeconds(1);
            default -> Duration.ofMinutes(1);
        };
        return new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(unit.toNanos())).min(LONGEST).longValue();
    }

    /**
     * Returns the value of a parameter, in lower case, as a match of its form.
     *
     * @throws IllegalArgumentException if it does not have this form, which {@code wanted} describes
     */
    private static Matcher matched(Pattern form, Parameters values, String name, String wanted) {
        String value = values.text(name).orElse("");
        Matcher match = form.matcher(value.toLowerCase(Locale.ROOT));
        if (!match.matches()) {
            throw new IllegalArgumentException("Parameter " + name + " of protocol LOOPBACK must be " + wanted + ", not '" + value + "'.");
        }
        return match;
    }
}
