package io.brokermeter.driver.nats;

import java.io.IOException;

import io.nats.client.JetStreamApiException;

/**
 * Removes a stream or a consumer. A nats-server that is writing the state of one at that moment cannot delete its directory, and reports
 * that the directory is not empty although the content is gone (nats-server, pull request 7886). A further attempt shows whether it is
 * gone.
 */
final class Removal {

    private static final int ATTEMPTS = 3;

    /** Requests a removal or a creation; blocks until the server answers. */
    interface Request {
        void send() throws IOException, JetStreamApiException;
    }

    private Removal() {}

    /**
     * Removes a stream or a consumer, in up to {@value #ATTEMPTS} attempts.
     *
     * @param unknown the server's error code for a missing stream or consumer
     * @throws JetStreamApiException if the server refuses, or the stream or consumer was missing at the first attempt
     */
    static void of(Request request, int unknown) throws IOException, JetStreamApiException {
        for (int attempt = 1;; attempt++) {
            try {
                request.send();
                return;
            } catch (JetStreamApiException e) {
                if (attempt > 1 && e.getApiErrorCode() == unknown) {
                    return;
                }
                if (attempt == ATTEMPTS || !e.getErrorDescription().contains("directory not empty")) {
                    throw e;
                }
            }
        }
    }
}
