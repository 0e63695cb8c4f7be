package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.JsonText;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LimitTrialsTest {

    /** The use of processors in the first row is that of a trial at 1,000/s that missed its goal beside compilers; the broker takes 15,000/s. */
    @ParameterizedTest
    @CsvSource({"99.7, 19.5, 6.5, 30, true", "99.7, 19.5, 6.5, 3, false", "99.7, 90, 95, 120, false", "20, 19.5, 6.5, 30, false"})
    void aBrokerIsStarvedByOthersThatUseWhatItWaitsFor(double busy, double generator, double broker, double waiting, boolean starved) {
        StoredResult result = StoredResult.of(JsonText.read("{\"health\":{\"machineBusyPercent\":" + busy + ",\"cpuPercent\":" + generator
            + "},\"broker\":{\"cpuPercent\":" + broker + ",\"waitingPercent\":" + waiting + "}}"));
        assertThat(TriedLoads.isStarved(result, 2)).isEqualTo(starved);
        assertThat(TriedLoads.isStarved(StoredResult.of(JsonText.read("{\"health\":{},\"broker\":null}")), 2)).isFalse();
    }

    /** The first kind is that of runs on one core, of which they used all, so that their own time made them miss a limit. */
    @ParameterizedTest
    @CsvSource({"generator-busy, true", "thread-busy, true", "held-up, false"})
    void aGeneratorThatUsesAllThatItMayIsItsOwnLimit(String kind, boolean own) {
        assertThat(TriedLoads.isOwnLimit(StoredResult.of(JsonText.read("{\"findings\":[{\"kind\":\"" + kind + "\"}]}")))).isEqualTo(own);
    }
}
