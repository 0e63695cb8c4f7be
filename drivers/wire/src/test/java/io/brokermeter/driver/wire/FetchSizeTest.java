package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import io.brokermeter.spi.ConsumerSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FetchSizeTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long QUICK = 299_999_999;

    /** With ten messages per request, a round trip of 20 ms would limit the throughput to 500 messages/s. */
    @Test
    void growsWhileFullBatchesAreQuick() {
        var size = FetchSize.of(ConsumerSettings.DEFAULT, true, TIMEOUT);
        for (int expected : new int[] {10, 20, 40, 80}) {
            assertThat(size.messages()).isEqualTo(expected);
            assertThat(size.took(expected, QUICK)).isTrue();
        }
        assertThat(size.messages()).isEqualTo(100);
        assertThat(size.took(100, QUICK)).isFalse();
        assertThat(size.messages()).isEqualTo(100);
    }

    @Test
    void isSmallAgainAfterABatchThatTookAHundredthOfTheTimeout() {
        var size = FetchSize.of(ConsumerSettings.DEFAULT, true, TIMEOUT);
        size.took(10, QUICK);
        size.took(20, QUICK);
        assertThat(size.took(3, QUICK + 1)).isTrue();
        assertThat(size.messages()).isEqualTo(10);
        assertThat(size.took(10, QUICK + 1)).isFalse();
    }

    @Test
    void staysWhereABatchIsNotFull() {
        var size = FetchSize.of(ConsumerSettings.DEFAULT, true, TIMEOUT);
        assertThat(size.took(9, 0)).isFalse();
        size.took(10, 0);
        assertThat(size.took(19, 0)).isFalse();
        assertThat(size.messages()).isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource({"-1, false, 100", "0, false, 100", "1, true, 1", "3000, true, 3000", "5, false, 5", "2000000000, true, 2000000000"})
    void staysWhereItIsGivenOrTheListenerIsQuick(int prefetch, boolean mayBlock, int messages) {
        var size = FetchSize.of(ConsumerSettings.of(its -> its.prefetch = prefetch), mayBlock, TIMEOUT);
        assertThat(size.messages()).isEqualTo(messages);
        assertThat(size.took(messages, 0)).isFalse();
        assertThat(size.took(messages, Long.MAX_VALUE)).isFalse();
        assertThat(size.messages()).isEqualTo(messages);
    }

    /** A hundred messages of 1 MB in one answer are more than clients and brokers have room for. */
    @ParameterizedTest
    @CsvSource({"-1, 1000000, 16, 10", "-1, 100, 100, 10", "-1, 5000000, 3, 3", "-1, 100000000, 1, 1", "50, 5000000, 50, 50"})
    void asksForSoManyBytesAtMostUnlessANumberIsGiven(int prefetch, int bytes, int quick, int first) {
        var settings = ConsumerSettings.of(its -> {
            its.prefetch = prefetch;
            its.messageBytes = bytes;
        });
        assertThat(FetchSize.of(settings, false, TIMEOUT).messages()).isEqualTo(quick);
        assertThat(FetchSize.of(settings, true, TIMEOUT).messages()).isEqualTo(first);
    }
}
