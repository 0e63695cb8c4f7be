package io.brokermeter.driver.mqtt;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The options of a connection, from URL and parameters.
 *
 * @param url the servers, tried in their order
 * @param five whether the protocol version is 5, and not 3.1.1
 * @param qos quality of service of published messages
 * @param consumerQos quality of service of subscriptions
 * @param retain whether messages are published as retained, and subscriptions receive previously retained messages
 * @param receiveMaximum the most unacknowledged messages in each direction
 * @param topicAlias the most topic aliases in each direction
 * @param maximumPacketSize size of the largest packet that the broker may send, in bytes; 0 for no limit
 * @param keepAlive keep-alive interval in seconds, 0 for none
 * @param sessionExpiry how long the broker keeps the session of a durable subscription, in seconds
 * @param cleanStart whether durable subscriptions begin with an empty session
 * @param group share name of the shared subscriptions that serve as queues
 * @param tls the TLS settings; empty for plain TCP
 */
record MqttOptions(
        ServerUrl url, boolean five, int qos, int consumerQos, boolean retain, int receiveMaximum, int topicAlias,
        int maximumPacketSize, int keepAlive, long sessionExpiry, boolean cleanStart, String group,
        Optional<TlsOptions> tls) {

    static final Set<String> SCHEMES = Set.of("mqtt", "mqtts");

    private static final int PORT = 1883;
    private static final int TLS_PORT = 8883;
    private static final int LARGEST_NUMBER = 65_535;
    private static final int SMALLEST_PACKET = 64;
    private static final int LONGEST_TEXT = 60_000;

    /** The parameters that only version 5 has. */
    private static final List<String> FIVE = List.of("topic-alias", "maximum-packet-size", "session-expiry");

    static final List<Parameter> PARAMETERS = TlsOptions.with(
        new Parameter("version", "3.1.1|5", "5", "The version of the protocol; nothing falls back to the other one."),
        new Parameter("qos", "0|1|2", "1",
            "Quality of service of published messages; with 0 a message counts as confirmed when it is written."),
        new Parameter("consumer-qos", "0|1|2", "", "Quality of service of subscriptions; the same as qos unless given."),
        new Parameter("retain", "true|false", "false",
            "Whether messages are published as retained, and consumers take what a topic had retained before."),
        new Parameter("receive-maximum", "N", "65535",
            "The most unacknowledged messages of a connection in each direction; towards the broker its own limit counts, too."),
        new Parameter("topic-alias", "N", "0",
            "The most topics for which a number goes over the wire instead of the name, in each direction; version 5."),
        new Parameter("maximum-packet-size", "BYTES", "",
            "The largest packet that the broker may send; version 5."),
        new Parameter("keep-alive", "SECONDS", "30",
            "The longest silence before the broker is asked whether it lives, 0 for never."),
        new Parameter("session-expiry", "SECONDS", "86400",
            "How long the broker keeps a durable subscription without its consumer; version 5."),
        new Parameter("clean-start", "true|false", "false",
            "Whether durable subscriptions begin empty instead of going on with what the broker kept for them."),
        new Parameter("group", "NAME", "brokermeter",
            "The share name under which consumers of a queue:// share its messages."));

    /** @throws IllegalArgumentException with one sentence for the user that names what is wrong */
    static MqttOptions of(MqttDriver driver, ConnectionSettings settings) {
        String text = settings.url().strip();
        boolean secure = text.regionMatches(true, 0, "mqtts:", 0, "mqtts:".length());
        ServerUrl url = ServerUrl.parse(text, SCHEMES, secure ? TLS_PORT : PORT);
        if (!url.path().isEmpty()) {
            throw new IllegalArgumentException("URL '" + url.address() + "/" + url.path() + "' must end behind the port;"
                + " MQTT knows no path there.");
        }
        Parameters values = Parameters.of(driver, url, settings);
        boolean five = values.choice("version", "3.1.1", "5").equals("5");
        if (!five) {
            for (String name : FIVE) {
                if (values.has(name)) {
                    throw new IllegalArgumentException("Parameter " + name + " needs MQTT 5; leave it out or set version=5.");
                }
            }
        }
        int qos = values.number("qos", 0, 2);
        String group = values.text("group").orElse("");
        if (group.isEmpty() || group.chars().anyMatch(c -> c == '/' || c == '+' || c == '#' || c == 0)) {
            throw new IllegalArgumentException("Parameter group of protocol MQTT must be a name without /, + and #, not '"
                + group + "'.");
        }
        if (settings.password() != null && settings.user() == null && !five) {
            throw new Refusal("MQTT 3.1.1 has no password without a user name; give %s, too.", Setting.USER);
        }
        carry("user name", settings.user());
        var secret = settings.password();
        carry("password", secret == null ? null : secret.reveal());
        carry("client id", settings.clientId());
        return new MqttOptions(url, five, qos, values.text("consumer-qos").isPresent() ? values.number("consumer-qos", 0, 2) : qos,
            values.flag("retain"), values.number("receive-maximum", 1, LARGEST_NUMBER), values.number("topic-alias", 0, LARGEST_NUMBER),
            values.text("maximum-packet-size").isPresent() ? values.number("maximum-packet-size", SMALLEST_PACKET, Packet.LARGEST) : 0,
            values.number("keep-alive", 0, LARGEST_NUMBER), values.number("session-expiry", 1, Integer.MAX_VALUE),
            values.flag("clean-start"), group, TlsOptions.of(values, url.scheme().equals("mqtts"), "the URL must begin with mqtts://"));
    }

    /**
     * Checks that MQTT can encode a text: with 16 bits for its length, without null characters, and for a client id with room for the name
     * of a subscription behind it.
     */
    private static void carry(String what, @Nullable String text) {
        if (text != null && (text.indexOf(0) >= 0 || text.getBytes(StandardCharsets.UTF_8).length > LONGEST_TEXT)) {
            throw new IllegalArgumentException("MQTT cannot carry this " + what + "; it is too long or has a null character.");
        }
        if (text != null && !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException("MQTT cannot carry this " + what + "; it is no proper Unicode text.");
        }
    }

    /** Returns the URL without secrets, and with the version that is used. */
    String shown() {
        Map<String, String> query = new LinkedHashMap<>(url.query());
        query.putIfAbsent("version", five ? "5" : "3.1.1");
        return url.address() + "?" + query.entrySet().stream()
            .map(each -> each.getKey() + "=" + (each.getKey().contains("password") ? "***" : each.getValue()))
            .collect(Collectors.joining("&"));
    }

    String version() {
        return five ? "MQTT 5" : "MQTT 3.1.1";
    }
}
