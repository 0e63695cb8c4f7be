package io.brokermeter.driver.core;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.spi.parameter.BeanProperties;
import io.brokermeter.spi.parameter.Nearest;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.Transport;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * A URL for the CORE client: rewritten from the user's URL, checked, and completed with this driver's defaults.
 *
 * <p>{@code amqp://} and {@code core://} become {@code tcp://}, {@code amqps://} becomes {@code tcp://} with {@code sslEnabled=true}, and
 * {@code failover:(a,b)} becomes {@code (a,b)} with {@code reconnectAttempts=-1}. Everything else is passed to the client unchanged.
 *
 * <p>Two defaults are added to a URL that does not set the first one. A URL that sets it is left unchanged, since a user who tunes it
 * expects the client's own default for the other:
 * <ul>
 * <li>{@code confirmationWindowSize=32768}: without a confirmation window the client completes an asynchronous send when it has written the
 *     message, and a confirmation says nothing about the broker. With a window each session keeps that many bytes of packets for a resend,
 *     and the broker acknowledges them cumulatively after that many bytes. Sessions of consumers have no window, unless the client restores
 *     its connection: they send nothing that a window confirms, and after a connection breaks a broker goes on delivering for a minute to
 *     its sessions that have a window. 32 KiB are thirty messages of 1 KiB or several hundred acknowledgements of deliveries; with 1 MiB
 *     thirty producers and twenty consumers kept 50 MiB alive, and half of the generator's time went into copying them from one generation
 *     of its heap to the next.
 * <li>{@code producerWindowSize=1048576}: the client asks the broker for credit in steps of half this size; with its own default of 64 KiB
 *     that is one more round trip for every 32 messages of 1 KiB.
 * </ul>
 * Two more defaults are not in the URL, since they do not affect an asynchronous send: {@code blockOnDurableSend=false}, so that messages
 * in a transaction do not wait one by one for what the commit confirms, and {@code connect-timeout-millis} from the connect timeout. The
 * client's other defaults stay: consumer window 1 MiB, acknowledgements without waiting for the broker, messages over 100 KiB sent as large
 * messages in chunks.
 */
final class CoreUrl {

    static final String CONFIRMATION_WINDOW = "confirmationWindowSize";
    static final String PRODUCER_WINDOW = "producerWindowSize";
    static final String DEFAULT_CONFIRMATION_WINDOW = "32768";
    private static final String DEFAULT_PRODUCER_WINDOW = "1048576";

    /** Client parameters by name, with the type of their setter; null if any text is accepted. */
    private static final Map<String, @Nullable Class<?>> KNOWN = known();

    /** Parameters of TLS that are true or false in any case; the client takes every other word for false, and so sends without TLS. */
    private static final Set<String> SWITCHES = Set.of(TransportConstants.SSL_ENABLED_PROP_NAME, TransportConstants.TRUST_ALL_PROP_NAME,
        TransportConstants.VERIFY_HOST_PROP_NAME);

    private final BrokerUrl url;
    private final Transport transport;
    private final boolean windowChosen;
    private final boolean creditChosen;

    private CoreUrl(BrokerUrl url, Transport transport, boolean windowChosen, boolean creditChosen) {
        this.url = url;
        this.transport = transport;
        this.windowChosen = windowChosen;
        this.creditChosen = creditChosen;
    }

    /** @throws IllegalArgumentException with one sentence for the user that names the offending part */
    static CoreUrl of(String text) {
        var given = BrokerUrl.of(text);
        var transport = given.value(Transport.PARAMETER).map(value -> Transport.of(Transport.PARAMETER, value)).orElse(Transport.ANY);
        var url = rewrite(given.without(Transport.PARAMETER));
        url.checkBrokers(given);
        if (!url.hasScheme("tcp") || url.withSchemes(s -> "").reveal().contains("://") && otherScheme(url) != null) {
            throw new IllegalArgumentException("URL '" + given.redacted() + "' has the scheme '" + otherScheme(url)
                + "', which CORE does not know; use tcp://, core:// or amqp://.");
        }
        for (var parameter : url.parameters()) {
            check(given, parameter);
        }
        boolean chosen = !url.has(CONFIRMATION_WINDOW);
        return new CoreUrl(chosen ? url.withDefault(CONFIRMATION_WINDOW, DEFAULT_CONFIRMATION_WINDOW)
            .withDefault(PRODUCER_WINDOW, DEFAULT_PRODUCER_WINDOW)
            : url, transport, chosen, !url.has(PRODUCER_WINDOW));
    }

    private static BrokerUrl rewrite(BrokerUrl given) {
        var url = given;
        if (url.reveal().startsWith("failover:")) {
            url = url.withText(text -> {
                var rest = text.substring("failover:".length());
                return rest.startsWith("//(") ? rest.substring(2) : rest;
            }).withDefault("reconnectAttempts", "-1");
        }
        if (url.hasScheme("amqps")) {
            url = url.withDefault(TransportConstants.SSL_ENABLED_PROP_NAME, "true");
        }
        return url.withSchemes(scheme -> switch (scheme) {
            case "amqp", "amqps", "core" -> "tcp";
            default -> scheme;
        });
    }

    private static @Nullable String otherScheme(BrokerUrl url) {
        return url.brokers().stream().map(broker -> broker.strip().replaceAll("://.*", ""))
            .filter(scheme -> !scheme.equals("tcp")).findFirst().orElse(null);
    }

    private static void check(BrokerUrl url, BrokerUrl.Parameter parameter) {
        var name = parameter.name();
        if (name.startsWith(TransportConstants.NETTY_HTTP_HEADER_PREFIX)) {
            return;
        }
        if (!KNOWN.containsKey(name)) {
            throw new IllegalArgumentException("The CORE client does not know the parameter '" + name + "'" + hint(name) + ".");
        }
        var type = KNOWN.get(name);
        if (SWITCHES.contains(name) && !parameter.value().equalsIgnoreCase("true") && !parameter.value().equalsIgnoreCase("false")) {
            throw new IllegalArgumentException("Parameter '" + name + "' must be true or false, not '" + parameter.value() + "'.");
        }
        if (type != null) {
            try {
                BeanProperties.parse(type, parameter.value());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("Parameter '" + name + "' must be " + e.getMessage() + ", not '" + parameter.value()
                    + "'.", e);
            }
        }
    }

    private static String hint(String name) {
        var near = Nearest.to(name, KNOWN.keySet().stream().sorted().toList());
        return near == null ? "" : "; did you mean " + near;
    }

    private static Map<String, @Nullable Class<?>> known() {
        Map<String, @Nullable Class<?>> result = new HashMap<>();
        TransportConstants.ALLOWABLE_CONNECTOR_KEYS.forEach(key -> result.put(key, null));
        result.put("ha", boolean.class);
        result.put("type", null);
        result.putAll(BeanProperties.types(ServerLocator.class));
        result.putAll(BeanProperties.types(ActiveMQConnectionFactory.class));
        result.remove("brokerURL");
        result.remove("clientID");
        result.put("clientID", null);
        return result;
    }

    BrokerUrl url() {
        return url;
    }

    /** Returns this URL for one of its brokers alone, which have no parameters of their own. */
    CoreUrl at(ServerUrl.Server server) {
        return !url.isList() ? this : new CoreUrl(url.withText(text -> "tcp://" + server + text.substring(text.lastIndexOf(')') + 1)),
            transport, windowChosen, creditChosen);
    }

    /** Returns the transport that the URL asks for; its parameter is not passed to the client. */
    Transport transport() {
        return transport;
    }

    /** Returns whether the brokers of this URL are reached over TLS. */
    boolean isTls() {
        return url.parameters().stream().anyMatch(each -> each.name().equals(TransportConstants.SSL_ENABLED_PROP_NAME)
            && Boolean.parseBoolean(each.value()));
    }

    /** Returns whether the confirmation window is this driver's default and not the user's choice. */
    boolean isWindowChosen() {
        return windowChosen;
    }

    /** Returns whether the window of producers is this driver's default, or the client's, and not the user's choice. */
    boolean isCreditChosen() {
        return creditChosen;
    }
}
