package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Removal of a consumer whose directory the server cannot delete at once. */
class RemovalTest {

    private static final int NO_CONSUMER = 10_014;
    private static final String NOT_EMPTY = "unlinkat /data/jetstream/$G/streams/S/obs/queue: directory not empty";

    private int requests;

    static ApiError error(int code, String description) {
        return new ApiError(code, description);
    }

    /** @param answers the error of each attempt, null for success */
    private void remove(ApiError... answers) throws Exception {
        List<ApiError> left = new ArrayList<>(Arrays.asList(answers));
        Removal.of(() -> {
            requests++;
            ApiError answer = left.removeFirst();
            if (answer != null) {
                throw answer;
            }
        }, NO_CONSUMER);
    }

    @Test
    void whatIsGoneAtTheSecondAttemptWasRemovedByTheFirst() throws Exception {
        remove(error(10_051, NOT_EMPTY), error(NO_CONSUMER, "consumer not found"));
        assertThat(requests).isEqualTo(2);
    }

    @Test
    void whatIsStillThereIsRemovedAtTheSecondAttempt() throws Exception {
        remove(error(10_051, NOT_EMPTY), null);
        assertThat(requests).isEqualTo(2);
    }

    @Test
    void everyOtherRefusalIsReportedAtOnce() {
        assertThatThrownBy(() -> remove(error(NO_CONSUMER, "consumer not found"))).hasMessageContaining("not found");
        assertThatThrownBy(() -> remove(error(10_051, "disk full"))).hasMessageContaining("disk full");
        assertThat(requests).isEqualTo(2);
    }

    @Test
    void itDoesNotAskForEver() {
        ApiError error = error(10_051, NOT_EMPTY);
        assertThatThrownBy(() -> remove(error, error, error, error)).isSameAs(error);
        assertThat(requests).isEqualTo(3);
    }
}
