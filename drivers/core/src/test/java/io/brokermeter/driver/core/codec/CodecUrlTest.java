package io.brokermeter.driver.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.driver.jms.BrokerUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodecUrlTest {

    private static final String WINDOW = "confirmationWindowSize=32768";

    @Test
    void readsWhatItKnows() {
        assertThat(CodecUrl.read(BrokerUrl.of("tcp://[::1]?" + WINDOW + "&producerWindowSize=-1&consumerWindowSize=0&minLargeMessageSize=5"
            + "&connectionTTL=7000&clientFailureCheckPeriod=3000&blockOnDurableSend=true&tcpNoDelay=true&sslEnabled=false"), true))
            .isEqualTo(new CodecUrl("::1", 61616, 32768, true, -1, 0, 5, 7000, 3000));
        assertThat(CodecUrl.read(BrokerUrl.of("tcp://h:1?" + WINDOW), false))
            .isEqualTo(new CodecUrl("h", 1, 32768, false, 65536, 1 << 20, 100 << 10, 60_000, 30_000));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tcp://h:1 | a URL without a confirmation window",
        "tcp://h:1?confirmationWindowSize=-1 | the parameter confirmationWindowSize=-1",
        "(tcp://a:1,tcp://b:1)?confirmationWindowSize=1 | a list of brokers",
        "tcp://h:1?confirmationWindowSize=1&autoGroup=true | the parameter autoGroup",
        "tcp://h:1?confirmationWindowSize=1&blockOnAcknowledge=true | the parameter blockOnAcknowledge",
        "tcp://h:1?confirmationWindowSize=1&consumerMaxRate=5 | the parameter consumerMaxRate",
        "tcp://h:1?confirmationWindowSize=1&reconnectAttempts=-1 | the parameter reconnectAttempts",
        "tcp://h:1?confirmationWindowSize=1&sslEnabled=true | the parameter sslEnabled",
        "tcp://h:1?confirmationWindowSize=1&producerWindowSize=0 | the parameter producerWindowSize=0"})
    void leavesTheRestToTheClient(String url, String obstacle) {
        assertThat(CodecUrl.obstacle(BrokerUrl.of(url))).isEqualTo(obstacle);
    }
}
