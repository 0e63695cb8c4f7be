package io.brokermeter.driver.openwire;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.Wish;
import org.apache.activemq.ActiveMQConnectionFactory;

class OpenWireContractTest extends DriverContract {

    static final String PASSWORD = "correct horse";

    OpenWireContractTest() {
        super(activeMq());
    }

    static ThrowawayBroker activeMq() {
        return new ThrowawayBroker(new OpenWireDriver(), "activemq", "openwire://HOST:PORT").login(PASSWORD).forbidding("forbidden")
            .with(options -> options.withProperty("schedulerSupport", "true")
                .withProperty("destinationPolicy.defaultEntry.prioritizedMessages", "true"))
            // The timeout of every request. No test waits until it expires, so it is long enough for a busy machine.
            .timeout(Duration.ofSeconds(40)).cut("tcp://HOST:PORT").unknown("tcp://localhost:1?jms.noSuchSetting=1")
            .killing("activemq").restarting().without(BrokerTrait.LEAVES_A_SILENT_SERVER)
            // The lower value of client and broker applies; 0 disables keep-alives.
            .rareKeepAlives("wireFormat.maxInactivityDuration=0")
            .reconnecting("failover:(openwire://HOST:PORT)?initialReconnectDelay=50&maxReconnectDelay=200", Map.of())
            .several("failover:(", "openwire://", ")")
            .refusedTls("openwires://HOST:PORT?trust-all=true").tls("openwires://HOST:PORT", Wish::parameters)
            .foreign((broker, queue) -> {
                var factory = new ActiveMQConnectionFactory(ThrowawayBroker.USER, PASSWORD, broker.url());
                try (var connection = factory.createConnection(); var session = connection.createSession()) {
                    session.createProducer(session.createQueue(queue)).send(session.createTextMessage("a text of somebody else"));
                }
            });
    }
}
