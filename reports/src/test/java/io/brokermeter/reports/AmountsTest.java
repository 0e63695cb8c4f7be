package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountsTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0|0 us", "0.5|500 ns", "0.9996|1.00 us", "1.2345|1.23 us", "99.95|100 us", "412.4|412 us",
        "999.4|999 us", "999.5|1.00 ms", "10000|10.0 ms", "999499|999 ms", "999500|1.00 s", "2350000|2.35 s", "119000000|119 s",
        "120000000|2.00 min", "7200000000|2.00 h"})
    void aTimeHasThreeDigitsAndTheUnitThatSuits(double micros, String expected) {
        assertThat(Amounts.time(micros)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
        value = {"0|0/s", "0.5|0.5/s", "12.345|12.3/s", "864|864/s", "999.4|999/s", "999.6|1,000/s", "37000|37,000/s"})
    void aRateIsWholeFromAThousandOn(double rate, String expected) {
        assertThat(Amounts.rate(rate)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0.4|0.4 msg/s", "9.94|9.94 msg/s", "37.4|37 msg/s", "37000.4|37,000 msg/s"})
    void aRateInASentenceIsWholeUnlessAPartOfAMessageCounts(double rate, String expected) {
        assertThat(Amounts.rate(rate, "msg/s")).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"0|0 %", "23.44|23.4 %", "99.9996|99.999 %", "99.95|99.95 %", "100|100 %", "185|185 %"})
    void aPercentageNearAHundredKeepsItsDigits(double percent, String expected) {
        assertThat(Amounts.percent(percent)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"30|30 B", "1024|1 KiB", "536870912|512 MiB", "2093796557|1.95 GiB", "1048000000|999 MiB"})
    void memoryHasBinaryUnits(double bytes, String expected) {
        assertThat(Amounts.bytes(bytes)).isEqualTo(expected);
    }

    @Test
    void whatIsNotKnownIsNotANumber() {
        assertThat(Amounts.time(Double.NaN)).isEqualTo("n/a");
        assertThat(Amounts.rate(Double.POSITIVE_INFINITY)).isEqualTo("n/a");
    }
}
