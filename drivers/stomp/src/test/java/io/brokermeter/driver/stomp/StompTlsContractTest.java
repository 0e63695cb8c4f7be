package io.brokermeter.driver.stomp;

import java.time.Duration;

import io.brokermeter.contract.tls.TlsContract;
import org.junit.jupiter.api.Test;

class StompTlsContractTest extends TlsContract {

    StompTlsContractTest() {
        super(StompArtemisContractTest.artemis());
    }

    /** The reset comes later than the driver waits for it when it repeats the handshake to find out the reason of the failure. */
    @Test
    void namesTheServerThatResetsTheConnectionVeryLate() throws Exception {
        namesTheServerThatResets(Duration.ofSeconds(4));
    }
}
