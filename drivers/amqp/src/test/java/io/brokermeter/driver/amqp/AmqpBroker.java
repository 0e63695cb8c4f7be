package io.brokermeter.driver.amqp;

import static io.brokermeter.contract.BrokerTrait.DELETES;
import static io.brokermeter.contract.BrokerTrait.FLAGS_REDELIVERY_AFTER_A_CUT;
import static io.brokermeter.contract.BrokerTrait.ORDERS_WHAT_A_CUT_GIVES_BACK;
import static io.brokermeter.contract.BrokerTrait.TELLS_MISSING_CREDIT;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Wish;
import org.apache.qpid.jms.JmsConnectionFactory;

/** An Artemis broker that is used over AMQP 1.0. */
public final class AmqpBroker {

    public static final String PASSWORD = "correct horse";
    /** The timeout of every request. No test waits until it expires, so it is long enough for a busy machine. */
    static final Duration TIMEOUT = Duration.ofSeconds(40);

    private AmqpBroker() {}

    public static ThrowawayBroker artemis() {
        return new ThrowawayBroker(new AmqpDriver(), "artemis", "amqp://HOST:PORT").login(PASSWORD).timeout(TIMEOUT)
            .forbidding("forbidden").refusingAfter50().killing("artemis").restarting()
            // The broker also asks for keep-alives, at half of this interval.
            .victims(options -> options.withProperty("connectionTTLOverride", "1200000"))
            .rareKeepAlives("amqp.idleTimeout=600000").unknown("amqp://localhost:1?jms.noSuchSetting=1")
            // By the protocol, a delivery whose link was lost does not count as an attempt.
            // On a busy machine the last four messages of a transaction of five may be redelivered before the first one.
            .without(DELETES, FLAGS_REDELIVERY_AFTER_A_CUT, ORDERS_WHAT_A_CUT_GIVES_BACK).having(TELLS_MISSING_CREDIT)
            .reconnecting("failover:(amqp://HOST:PORT)?failover.initialReconnectDelay=50&failover.reconnectDelay=100", Map.of())
            .several("failover:(", "amqp://", ")")
            .refusedTls("amqps://HOST:PORT?transport.trustAll=true&transport.verifyHost=false")
            .tls("amqps://HOST:PORT", AmqpBroker::certificates)
            .foreign((broker, queue) -> {
                var factory = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port() + "?jms.connectTimeout=60000");
                try (var context = factory.createContext(ThrowawayBroker.USER, PASSWORD)) {
                    context.createProducer().send(context.createQueue(queue), "a text of somebody else");
                }
            });
    }

    private static Map<String, String> certificates(Wish wish) {
        Map<String, String> parameters = new HashMap<>();
        if (wish.trustStore() != null) {
            parameters.put("transport.trustStoreLocation", wish.trustStore().toString());
            parameters.put("transport.trustStorePassword", CertificateAuthority.PASSWORD);
        }
        if (wish.keyStore() != null) {
            parameters.put("transport.keyStoreLocation", wish.keyStore().toString());
            parameters.put("transport.keyStorePassword", CertificateAuthority.PASSWORD);
        }
        if (wish.anyHost() || wish.trustAll()) {
            parameters.put("transport.verifyHost", "false");
        }
        if (wish.trustAll()) {
            parameters.put("transport.trustAll", "true");
        }
        return parameters;
    }
}
