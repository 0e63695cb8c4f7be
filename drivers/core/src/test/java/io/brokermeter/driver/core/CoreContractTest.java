package io.brokermeter.driver.core;

import static io.brokermeter.contract.BrokerTrait.TELLS_MISSING_CREDIT;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Wish;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

class CoreContractTest extends DriverContract {

    private static final String PASSWORD = "correct horse";

    CoreContractTest() {
        super(artemis());
    }

    static ThrowawayBroker artemis() {
        return new ThrowawayBroker(new CoreDriver(), "artemis", "tcp://HOST:PORT").login(PASSWORD).forbidding("forbidden").refusingAfter50()
            // The limit of each request. No test waits for it to pass, so it allows for a busy machine.
            .timeout(Duration.ofSeconds(40)).restarting()
            .reconnecting("tcp://HOST:PORT?reconnectAttempts=-1&retryInterval=100", Map.of()).several("(", "tcp://", ")")
            .having(TELLS_MISSING_CREDIT).killing("artemis")
            .rareKeepAlives("connectionTTL=600000&clientFailureCheckPeriod=600000")
            // The broker keeps the sessions of a broken connection for this time, in case the client reconnects. It is longer than most
            // stalls of the machine, and a close takes up to twice this time when the broker stopped answering.
            .cut("tcp://HOST:PORT?connectionTTL=12000&clientFailureCheckPeriod=2000")
            .refusedTls("tcp://HOST:PORT?sslEnabled=true&trustAll=true")
            .tls("tcp://HOST:PORT?sslEnabled=true", CoreContractTest::certificates)
            .foreign((broker, queue) -> {
                ThreadPools.retain(); // a connection of another test that closes would end those of this client, too
                try (var factory = new ActiveMQConnectionFactory(broker.url());
                        var context = factory.createContext(ThrowawayBroker.USER, PASSWORD)) {
                    context.createProducer().send(context.createQueue(queue), "a text of somebody else");
                } finally {
                    ThreadPools.release();
                }
            });
    }

    private static Map<String, String> certificates(Wish wish) {
        Map<String, String> parameters = new HashMap<>();
        if (wish.trustStore() != null) {
            parameters.put("trustStorePath", wish.trustStore().toString());
            parameters.put("trustStorePassword", CertificateAuthority.PASSWORD);
        }
        if (wish.keyStore() != null) {
            parameters.put("keyStorePath", wish.keyStore().toString());
            parameters.put("keyStorePassword", CertificateAuthority.PASSWORD);
        }
        if (wish.anyHost() || wish.trustAll()) {
            parameters.put("verifyHost", "false");
        }
        if (wish.trustAll()) {
            parameters.put("trustAll", "true");
        }
        return parameters;
    }
}
