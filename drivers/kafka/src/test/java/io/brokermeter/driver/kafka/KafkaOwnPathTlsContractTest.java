package io.brokermeter.driver.kafka;

import io.brokermeter.contract.tls.TlsContract;
import org.junit.jupiter.api.Test;

class KafkaOwnPathTlsContractTest extends TlsContract {

    KafkaOwnPathTlsContractTest() {
        super(KafkaBroker.OWN);
    }

    /** All else that the contract asserts comes from connecting, which is the same on both paths. */
    @Test
    void theClientCarriesMessagesToo() throws Exception {
        carriesMessages(settings -> settings.withProperty("transport", "client"));
    }
}
