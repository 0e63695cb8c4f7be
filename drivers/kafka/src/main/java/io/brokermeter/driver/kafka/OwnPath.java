package io.brokermeter.driver.kafka;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.driver.kafka.direct.DirectSettings;
import io.brokermeter.driver.kafka.fetch.FetchSettings;
import io.brokermeter.driver.kafka.link.LinkSettings;
import io.brokermeter.driver.kafka.link.UnsuitedBroker;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.Transport;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.utils.AppInfoParser;

/** Tells which producers and consumers use brokermeter's own path, and says what leaves the others to Kafka's client. */
final class OwnPath {

    static final Parameter PARAMETER = Transport.parameter(
        "Whether producers send and consumers fetch over brokermeter's own path, where it has what is asked for, or over Kafka's client");

    /** What sends and what receives, as sentences about them begin. */
    static final String SENDS = "KAFKA sends";
    static final String RECEIVES = "KAFKA receives";

    /** Name and version of Kafka's client. */
    static final String LIBRARY = "kafka-clients " + AppInfoParser.getVersion();

    private final KafkaSettings settings;
    private final Parameters parameters;
    private final Transport transport;

    OwnPath(KafkaSettings settings, ConnectionSettings connection, Parameters parameters) {
        this.settings = settings;
        this.parameters = parameters;
        Transport asked = Transport.of(parameters);
        // only this path connects from a given address
        this.transport = asked == Transport.ANY && connection.source() != null ? Transport.OWN : asked;
    }

    /** Returns whether all messages, but those of transactions, go over connections from a given address. */
    boolean takesSource() {
        return transport.isOwn(sendObstacle()) && transport.isOwn(receiveObstacle()) && !settings.shareGroup();
    }

    /** @throws IllegalArgumentException if the user asks for this path by name, and for something that it has not */
    void check() {
        for (String obstacle : List.of(sendObstacle(), receiveObstacle())) {
            transport.check("Kafka", obstacle);
        }
    }

    /** Returns what this path has not for producers, apart from transactions; empty if they can use it. */
    String sendObstacle() {
        return obstacle(ProducerConfig.configDef(), DirectSettings.TAKEN);
    }

    /** Returns what this path has not for consumers, apart from share groups; empty if they can use it. */
    String receiveObstacle() {
        String reset = parameters.others().getOrDefault(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "");
        return reset.startsWith("by_duration") ? ConsumerConfig.AUTO_OFFSET_RESET_CONFIG + "=" + reset
            : obstacle(ConsumerConfig.configDef(), FetchSettings.TAKEN);
    }

    private String obstacle(ConfigDef known, Set<String> taken) {
        Map<String, String> given = parameters.others();
        String missing = LinkSettings.obstacle(known, taken, given);
        return !missing.isEmpty() ? missing : settings.sasl() && settings.user().isEmpty() ? "a login by JAAS" : "";
    }

    /**
     * Returns whether this path is used. Otherwise the listener is told why, unless the user asked for the client.
     *
     * @param what {@link #SENDS} or {@link #RECEIVES}
     * @param obstacle what this path has not, in a few words; empty for nothing
     */
    boolean isUsed(String what, String obstacle, ConnectionListener listener) {
        if (transport == Transport.ANY && obstacle.isEmpty() && settings.tls() && settings.look() == null) {
            listener.notice(what + " over " + LIBRARY + " since brokermeter's own path cannot read the trust store or the key store.");
            return false;
        }
        return transport.isOwn(what, LIBRARY, obstacle, listener);
    }

    /** Leaves it to the client, unless the user asked for this path by name. */
    void leave(String what, UnsuitedBroker why, ConnectionListener listener) throws UnsuitedBroker {
        transport.leave(what, LIBRARY, why, listener);
    }
}
