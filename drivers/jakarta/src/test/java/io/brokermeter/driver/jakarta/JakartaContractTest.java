package io.brokermeter.driver.jakarta;

import static io.brokermeter.contract.BrokerTrait.DELETES;

import java.time.Duration;
import java.util.Optional;

import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;

/** The contract with the JMS client of Artemis as the provider. */
class JakartaContractTest extends DriverContract {

    static final String FACTORY = "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory";
    static final Secret PASSWORD = Secret.of("correct horse");
    private static final String URL = "tcp://HOST:PORT?confirmationWindowSize=1048576&useGlobalPools=false";

    JakartaContractTest() {
        super(artemis());
    }

    static ThrowawayBroker artemis() {
        return new ThrowawayBroker(new JakartaDriver(), "artemis", URL) {

            @Override
            public Optional<ConnectionSettings> unknownSetting() {
                return elsewhere("localhost", 1).map(settings -> settings.withProperty("factory.noSuchSetting", "1"));
            }
            // Connections that tests cut detect silence after 12 s, longer than most stalls of the machine. Others keep the default of 60 s.
        }.cut(URL + "&connectionTTL=12000&clientFailureCheckPeriod=2000").login(PASSWORD.reveal()).without(DELETES).refusingAfter50()
            .killing("artemis").rareKeepAlives("connectionTTL=600000&clientFailureCheckPeriod=600000")
            .victims(options -> options.withPersistent(false))
            // The timeout of every request. No test waits until it expires, so it is long enough for a busy machine.
            .timeout(Duration.ofSeconds(40)).parameter("factory.callTimeout", "40000").parameter("factory.blockOnDurableSend", "false")
            .parameter("client-jars", Jars.all()).parameter("factory", FACTORY);
    }
}
