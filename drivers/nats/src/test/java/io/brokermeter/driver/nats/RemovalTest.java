package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.nats.client.JetStreamApiException;
import io.nats.client.api.PurgeResponse;
import io.nats.client.impl.NatsMessage;
import org.junit.jupiter.api.Test;

/** Removal of a consumer whose directory the server cannot delete at once. */
class RemovalTest {

    private static final int NO_CONSUMER = 10_014;
    private static final String NOT_EMPTY = "unlinkat /data/jetstream/$G/streams/S/obs/queue: directory not empty";

    private int requests;

    static JetStreamApiException error(int code, String description) {
        String answer = "{\"error\":{\"code\":500,\"err_code\":" + code + ",\"description\":\"" + description + "\"}}";
        return new JetStreamApiException(new PurgeResponse(
            NatsMessage.builder().subject("s").data(answer.getBytes(StandardCharsets.UTF_8)).build()));
    }

    /** @param answers the error of each attempt, null for success */
    private void remove(JetStreamApiException... answers) throws Exception {
        List<JetStreamApiException> left = new ArrayList<>(Arrays.asList(answers));
        Removal.of(() -> {
            requests++;
            JetStreamApiException answer = left.removeFirst();
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
        JetStreamApiException error = error(10_051, NOT_EMPTY);
        assertThatThrownBy(() -> remove(error, error, error, error)).isSameAs(error);
        assertThat(requests).isEqualTo(3);
    }
}
