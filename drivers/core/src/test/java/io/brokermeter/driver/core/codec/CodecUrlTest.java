package io.brokermeter.driver.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.parameter.ServerUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodecUrlTest {

    private static final String WINDOW = "confirmationWindowSize=32768";

    @Test
    void readsWhatItKnows() {
        assertThat(CodecUrl.read(BrokerUrl.of("tcp://[::1]?" + WINDOW + "&producerWindowSize=-1&consumerWindowSize=0&minLargeMessageSize=5"
            + "&connectionTTL=7000&clientFailureCheckPeriod=3000&blockOnDurableSend=true&tcpNoDelay=true&sslEnabled=false"), true))
            .isEqualTo(new CodecUrl(List.of(new ServerUrl.Server("::1", 61616)), Optional.empty(), 32768, true, -1, 0, 5, 7000, 3000));
        assertThat(CodecUrl.read(BrokerUrl.of("tcp://h:1?" + WINDOW), false))
            .isEqualTo(new CodecUrl(List.of(new ServerUrl.Server("h", 1)), Optional.empty(), 32768, false, 65536, 1 << 20, 100 << 10,
                60_000, 30_000));
    }

    @Test
    void readsListsAndTls() {
        var url = CodecUrl.read(BrokerUrl.of("(tcp://a:1, tcp://b)?sslEnabled=TRUE&verifyHost=false&" + WINDOW), false);
        assertThat(url.servers()).containsExactlyInAnyOrder(new ServerUrl.Server("a", 1), new ServerUrl.Server("b", 61616));
        assertThat(url.tls()).contains(new TlsOptions(Optional.empty(), Optional.empty(), false, false));
    }

    /** Connections of one run spread over the brokers of a list, as those of the client do. */
    @Test
    void beginsWithAnyBrokerOfAList() {
        var first = IntStream.range(0, 200)
            .mapToObj(_ -> CodecUrl.read(BrokerUrl.of("(tcp://a:1,tcp://b:1)?" + WINDOW), false).servers().getFirst());
        assertThat(first.distinct()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tcp://h:1 | a URL without a confirmation window",
        "tcp://h:1?confirmationWindowSize=-1 | the parameter confirmationWindowSize=-1",
        "tcp://a:1?confirmationWindowSize=1#tcp://b:1 | a list of brokers behind #",
        "(tcp://a:1,tcp://b:1?sslEnabled=true)?confirmationWindowSize=1 | parameters of single brokers",
        "tcp://h:1?confirmationWindowSize=1&autoGroup=true | the parameter autoGroup",
        "tcp://h:1?confirmationWindowSize=1&blockOnAcknowledge=true | the parameter blockOnAcknowledge",
        "tcp://h:1?confirmationWindowSize=1&consumerMaxRate=5 | the parameter consumerMaxRate",
        "tcp://h:1?confirmationWindowSize=1&reconnectAttempts=-1 | the parameter reconnectAttempts",
        "tcp://h:1?confirmationWindowSize=1&sslEnabled=true&sniHost=h | the parameter sniHost",
        "tcp://h:1?confirmationWindowSize=1&sslEnabled=true&trustStoreType=PEM | the parameter trustStoreType=PEM",
        "tcp://h:1?confirmationWindowSize=1&sslEnabled=true&keyStorePath=NONE | the parameter keyStorePath, which names no file",
        "tcp://h:1?confirmationWindowSize=1&sslEnabled=true&keyStorePassword=ENC%28x%29 | the masked value of the parameter keyStorePassword",
        "tcp://h:1?confirmationWindowSize=1&producerWindowSize=0 | the parameter producerWindowSize=0"})
    void leavesTheRestToTheClient(String url, String obstacle) {
        assertThat(CodecUrl.obstacle(BrokerUrl.of(url))).isEqualTo(obstacle);
    }
}
