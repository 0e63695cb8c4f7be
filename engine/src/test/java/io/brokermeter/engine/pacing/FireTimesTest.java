package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.brokermeter.engine.scenario.Rate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FireTimesTest {

    @ParameterizedTest(name = "{0}: event {1}")
    @CsvSource({
        "1/s, 1000000000", "3/s, 1000000000", "37k/s, 1000000000", "600k/s, 1000000000", "999999/s, 999999999",
        "30k/s, 1000000001", "1000M/s, 1000000000", "0.3/s, 1000000", "7/m, 1000000", "1.5M/s, 123456789012"})
    void theBillionthEventIsDueExactlyWhenTheRateSays(String rate, long index) {
        Rate r = Rate.parse(rate);
        BigInteger exact = BigInteger.valueOf(index).multiply(BigInteger.valueOf(1_000_000_000L))
            .multiply(BigInteger.valueOf(r.seconds())).divide(BigInteger.valueOf(r.events()));

        assertThat(FireTimes.constant(r).at(index)).isEqualTo(exact.longValueExact());
    }

    @Test
    void neverGoesBack() {
        FireTimes times = FireTimes.constant(Rate.parse("700001/s"));
        long before = -1;
        for (long i = 0; i < 2_000_000; i++) {
            assertThat(times.at(i)).isGreaterThanOrEqualTo(before);
            before = times.at(i);
        }
    }

    @Test
    void theStripesOfSeveralProducersTogetherAreTheOneSchedule() {
        FireTimes times = FireTimes.constant(Rate.perSecond(100));
        int stripes = 60;
        List<Long> all = new ArrayList<>();
        for (int stripe = 0; stripe < stripes; stripe++) {
            for (long i = stripe; times.at(i) < 1_000_000_000L; i += stripes) {
                all.add(times.at(i));
            }
        }
        Collections.sort(all);

        assertThat(all).hasSize(100).doesNotHaveDuplicates();
        assertThat(all.get(99)).isEqualTo(990_000_000L);
    }
}
