package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkRuleTest {

    @Test
    void allFourAreRead() {
        assertThat(NetworkRule.parse("rtt=10ms jitter=1ms bandwidth=100Mbit loss=0.1%"))
            .isEqualTo(new NetworkRule(Duration.ofMillis(10), Duration.ofMillis(1), 100_000_000, 0.001));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "10ms|rtt=10ms", "10|rtt=10ms", "rtt=0.25|rtt=250us", "RTT=1s|rtt=1s", "rtt=10ms,jitter=500us|rtt=10ms jitter=500us",
        "bandwidth=1.5Gbit|bandwidth=1500Mbit", "bandwidth=12MB/s|bandwidth=96Mbit", "bandwidth=1MiB/s|bandwidth=8388608bit",
        "loss=0.001|loss=0.1%", "loss=12.5%  rtt=5|rtt=5ms loss=12.5%", "none|none", "rtt=0|none"})
    void aRuleIsWrittenAsItIsRead(String text, String written) {
        NetworkRule rule = NetworkRule.parse(text);
        assertThat(rule).hasToString(written);
        assertThat(NetworkRule.parse(rule.toString())).isEqualTo(rule);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''|is not a rule", "fast|is not a rule", "rtt=soon|is not a time", "rtt=-1ms|is not a time", "rtt=2m|is not a time",
        "rtt=61s|not from 0 to 60s", "jitter=1ms|more than its rtt of 0", "rtt=1ms jitter=2ms|more than its rtt of 1ms",
        "rtt=1ms rtt=2ms|has rtt twice", "delay=1ms|has no 'delay'", "bandwidth=100|is not a rate", "bandwidth=0Mbit|lets nothing pass",
        "bandwidth=999bit|less than 1kbit", "bandwidth=999999999999Gbit|too large", "loss=100%|nothing passes", "loss=1.5|nothing passes",
        "loss=few|not a part of the packets", "none rtt=1|is not a rule"})
    void whatNoNetworkCanKeepIsRefused(String text, String sentence) {
        assertThatThrownBy(() -> NetworkRule.parse(text)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(sentence)
            .hasMessageEndingWith(".");
    }
}
