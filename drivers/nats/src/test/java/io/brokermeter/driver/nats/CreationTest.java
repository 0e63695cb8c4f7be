package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Creation of a stream while the server removes the directory of all streams. */
class CreationTest {

    private int requests;

    /** Creates a stream at a server that refuses a number of attempts. */
    private void create(int refusals, int code) throws Exception {
        Creation.of(() -> {
            if (requests++ < refusals) {
                throw RemovalTest.error(code, "error creating store for stream");
            }
        });
    }

    @Test
    void whatCannotBeStoredForAMomentIsCreatedAtAFurtherAttempt() throws Exception {
        create(2, 10_049);
        assertThat(requests).isEqualTo(3);
    }

    @Test
    void everyOtherRefusalIsReportedAtOnce() {
        assertThatThrownBy(() -> create(1, 10_058)).hasMessageContaining("[10058]");
        assertThat(requests).isEqualTo(1);
    }

    @Test
    void aServerThatNeverStoresIsReported() {
        assertThatThrownBy(() -> create(100, 10_049)).hasMessageContaining("error creating store for stream");
        assertThat(requests).isEqualTo(5);
    }
}
