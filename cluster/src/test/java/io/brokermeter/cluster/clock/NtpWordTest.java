package io.brokermeter.cluster.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class NtpWordTest {

    private static final String SAID = "C0248F97,192.36.143.151,1,1763802000.123456789,0.000012345,-0.000023456,0.000034567,"
        + "-12.345,0.001,0.012,0.010000000,0.000500000,64.5,Normal\n";

    @Test
    void theBoundIsOffsetDispersionAndHalfTheDelay() {
        assertThat(NtpWord.parse(SAID)).isEqualTo(new NtpWord("192.36.143.151", 12_345 + 500_000 + 5_000_000));
    }

    @Test
    void whatIsNoWordIsNone() {
        assertThat(NtpWord.parse(SAID.replace("Normal", "Not synchronised"))).isNull();
        assertThat(NtpWord.parse(SAID.replace("0.010000000", "x"))).isNull();
        assertThat(NtpWord.parse("506 Cannot talk to daemon")).isNull();
        assertThat(NtpWord.parse("")).isNull();
        assertThat(NtpWord.read(List.of("/nonexistent"))).isNull();
        assertThat(NtpWord.read(List.of("false"))).isNull();
        long begun = System.nanoTime();
        assertThat(NtpWord.read(List.of("sleep", "60"))).isNull();
        assertThat(System.nanoTime() - begun).isLessThan(20_000_000_000L);
        assertThat(NtpWord.read(List.of("echo", SAID.strip()))).isNotNull();
    }

    @Test
    void itContradictsWhenTheWallClocksAreFartherApartThanBothSay() {
        NtpWord here = new NtpWord("a", 1_000_000);
        NtpWord there = new NtpWord("b", 2_000_000);
        Offset offset = new Offset(0, 7_000_000_000L, 100_000, 0, 0);
        assertThat(NtpWord.contradiction(here, there, offset, 1_000, 7_000_000_000L - 3_000_000)).isNull();
        assertThat(NtpWord.contradiction(here, there, offset, 0, 7_000_000_000L - 3_200_000))
            .startsWith("NTP says that the wall clocks of both machines are within 3.000 ms of each other (sources a and b), "
                + "but by the probes they are 3.200 ms (+-0.100 ms) apart.");
        assertThat(NtpWord.contradiction(here, there, offset, 0, 7_000_000_000L + 3_200_000)).contains("-3.200 ms");
    }

    @Test
    void theWallClockIsWhatTheOffsetGives() {
        assertThat(System.nanoTime() + NtpWord.wallZero() - Instant.now().toEpochMilli() * 1_000_000).isBetween(-5_000_000_000L,
            5_000_000_000L);
    }
}
