package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;
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

    /**
     * A figure without a value says nothing, nor does a failure of the tool's own side; a goal decides about its own figure alone. Without
     * {@code !} the broker is meant, with it the trial is not valid.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "response.p99 < 50ms | | null | false | !",
        "response.p99 < 50ms | | 60000 | false | response.p99 < 50ms",
        "response.p99 < 50ms | | null | true | response.p99 < 50ms",
        "response.p99 < 50ms | left | null | false | nothing lost or failed",
        "response.p99 < 50ms | rate-missed | 10 | false | the rate kept",
        "lost == 0 | lost | 0 | false | ",
        "lost == 0 | undelivered | 0 | false | nothing lost or failed",
        "lost == 0 | left | 0 | false | nothing lost or failed",
        "left < 5 | left | 0 | false | ",
        "lost == 0 | agent-lost | 0 | false | !",
        "failed < 5 | sends-failed | 0 | false | ",
        "success > 99% | sends-failed | 0 | false | ",
        "failed < 5 | failed-delivered | 0 | false | nothing lost or failed",
        "failed < 5 | agent-failed | 0 | false | !",
        "failed < 5 | fault-failed | 0 | false | !",
        "lost == 0 | broken:write-report | 0 | false | !",
        "lost == 0 | broken:finish-report | 0 | false | !",
        "lost == 0 | broken:sending-thread | 0 | false | !",
        "lost == 0 | broken:connect | 0 | false | nothing lost or failed",
    })
    void onlyTheBrokersFailuresAreMissedGoals(String goal, @Nullable String kind, String value, boolean ended, @Nullable String missed) {
        boolean valueIsFine = !"response.p99 < 50ms".equals(goal) || value.equals("10");
        String[] parts = kind == null ? new String[0] : kind.split(":");
        StoredResult result = StoredResult.of(JsonText.read("{\"thresholds\":[{\"expression\":\"" + goal + "\",\"value\":" + value
            + ",\"unit\":\"us\",\"passed\":" + valueIsFine + ",\"judged\":true,\"ended\":" + ended
            + ",\"sentence\":\"" + goal + ": so many\"}],\"findings\":[" + (kind == null ? ""
                : "{\"kind\":\"" + parts[0] + "\",\"failure\":true,\"sentence\":\"It is so.\""
                    + (parts.length > 1 ? ",\"step\":\"" + parts[1] + "\"" : "") + "}")
            + "]}"));

        TriedLoads.Said said = TriedLoads.said(result, List.of(goal));

        assertThat(said.ofTheBroker()).isEqualTo(!"!".equals(missed));
        assertThat(said.missed()).isEqualTo(missed == null || missed.equals("!") ? List.of() : List.of(missed));
        assertThat(said.reasons().isEmpty()).isEqualTo(kind == null ? missed == null || !missed.equals("!") : missed == null);
    }

    /** The first kind is that of runs on one core, of which they used all, so that their own time made them miss a limit. */
    @ParameterizedTest
    @CsvSource({"generator-busy, true", "thread-busy, true", "held-up, false"})
    void aGeneratorThatUsesAllThatItMayIsItsOwnLimit(String kind, boolean own) {
        assertThat(TriedLoads.isOwnLimit(StoredResult.of(JsonText.read("{\"findings\":[{\"kind\":\"" + kind + "\"}]}")))).isEqualTo(own);
    }
}
