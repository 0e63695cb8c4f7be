package io.brokermeter.driver.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import javax.net.ssl.SSLException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsRefusalTest {

    /** It may have left because of our certificate, before the last of our messages was written. */
    @Test
    void aHandshakeWhoseConnectionBrokeIsUnfinished() {
        var failure = new SSLException("readHandshakeRecord", new IOException("Broken pipe"));
        assertThat(TlsRefusal.sentence("h:1", TlsNames.OWN, true, failure)).contains(TlsRefusal.unfinished("h:1"));
    }

    /** A channel throws no {@code SocketException} then. */
    @ParameterizedTest
    @ValueSource(strings = {"Broken pipe", "Connection reset", "Connection reset by peer"})
    void aChannelThatThePeerResetHasEnded(String words) {
        assertThat(TlsRefusal.isEnd(new IOException(words))).isTrue();
        assertThat(TlsRefusal.isEnd(new IOException("No buffer space available"))).isFalse();
    }
}
