package io.brokermeter.experiment.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import org.junit.jupiter.api.Test;

/** The broker of a trial: what it says of itself, and when it may serve another trial. */
class BrokerChoiceTest {

    private static BrokerChoice choice() {
        return BrokerChoice.of(BrokerName.parse("artemis:2.44.0"), BrokerOptions.defaults().withTopology("pair").withHeap("2g")
            .withJournal("nio").withPersistent(false).withAddress(InetAddress.ofLiteral("192.0.2.7")).withProperty("b", "1")
            .withProperty("a.keyStorePassword", "geheim"));
    }

    @Test
    void saysWhatDiffersFromTheDefaultsWithoutPasswords() {
        assertThat(BrokerChoice.of(BrokerName.parse("artemis"))).hasToString("artemis");
        assertThat(choice())
            .hasToString("artemis:2.44.0, pair, heap 2g, journal nio, without persistence, at 192.0.2.7, b=1, a.keyStorePassword=***");
    }

    @Test
    void equalOptionsMakeEqualChoices() {
        assertThat(BrokerChoice.of(BrokerName.parse("artemis"))).isEqualTo(BrokerChoice.of(BrokerName.parse("artemis")));
        assertThat(choice()).isEqualTo(choice()).isNotEqualTo(BrokerChoice.of(BrokerName.parse("artemis:2.44.0")));
    }

    @Test
    void isWrittenAsASectionInTheOrderInWhichItWasGiven() {
        assertThat(BrokerReader.written(choice()).flow())
            .isEqualTo("{name: artemis, version: 2.44.0, topology: pair, heap: 2g, journal: nio, "
                + "persistence: false, fresh: trial, properties: {b: 1, a.keyStorePassword: geheim}}");
    }
}
