package io.brokermeter.driver.stomp;

import java.time.Duration;

import io.brokermeter.contract.tls.TlsContract;
import org.junit.jupiter.api.Test;

class StompTlsContractTest extends TlsContract {

    StompTlsContractTest() {
        super(ArtemisContractTest.artemis());
    }

    /** When the handshake that is tried once more is ended later than anybody waits for it. */
    @Test
    void namesTheServerThatResetsTheConnectionVeryLate() throws Exception {
        namesTheServerThatResets(Duration.ofSeconds(4));
    }
}
