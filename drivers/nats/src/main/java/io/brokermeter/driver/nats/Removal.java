package io.brokermeter.driver.nats;

import java.io.IOException;

import io.nats.client.JetStreamApiException;

/**
 * Removes a stream or a consumer. A nats-server that writes the state of one just then cannot delete its directory, and reports that the
 * directory is not empty although what it held is gone (nats-server, pull request 7886). Asking again shows which.
 */
final class Removal {

    private static final int ATTEMPTS = 3;

    /** Asks the server to remove something; blocks until it answers. */
    interface Request {
        void send() throws IOException, JetStreamApiException;
    }

    private Removal() {}

    /**
     * @param unknown the error code by which the server says that there is no such thing
     * @throws JetStreamApiException when the server refuses, or there was no such thing at the first attempt
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
