package io.brokermeter.driver.kafka;

import io.brokermeter.contract.tls.TlsContract;
import org.junit.jupiter.api.Test;

class KafkaTlsContractTest extends TlsContract {

    KafkaTlsContractTest() {
        super(KafkaBroker.SHARED);
    }

    /** All else that the contract asserts comes from connecting, which is the same on both paths. */
    @Test
    void theClientCarriesMessagesToo() throws Exception {
        carriesMessages(settings -> settings.withProperty("transport", "client"));
    }
}
