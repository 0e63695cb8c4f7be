package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

class TimeLeftTest {

    private static final Duration NOTHING = Duration.ZERO;

    private final TimeLeft left = new TimeLeft();

    @Test
    void beforeAnythingHasFinishedThePlansCount() {
        assertThat(left.of(List.of(seconds(10), seconds(20)))).contains(seconds(30));
        assertThat(left.of(List.of(seconds(10), NOTHING))).isEmpty();
    }

    @Test
    void whatFinishedTrialsTookBeyondTheirPlansIsAddedToTheOthers() {
        left.finished(seconds(10), seconds(13));
        left.finished(seconds(30), seconds(35));
        assertThat(left.of(List.of(seconds(10), seconds(20)))).contains(seconds(38));
    }

    @Test
    void trialsWithoutAPlanTakeWhatThoseBeforeThemTook() {
        left.finished(NOTHING, seconds(8));
        left.finished(NOTHING, seconds(4));
        left.finished(seconds(100), seconds(99));
        assertThat(left.of(List.of(NOTHING, NOTHING, seconds(10)))).contains(seconds(21));
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }
}
