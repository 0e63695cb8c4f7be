package io.brokermeter.driver.nats;

import java.io.IOException;

/**
 * Removes a stream or a consumer. A nats-server that is writing the state of one at that moment cannot delete its directory, and reports
 * that the directory is not empty although the content is gone (nats-server, pull request 7886). A further attempt shows whether it is
 * gone.
 */
final class Removal {

    private static final int ATTEMPTS = 3;

    /** Requests a removal or a creation; blocks until the server answers. */
    interface Request {
        void send() throws IOException, InterruptedException;
    }

    private Removal() {}

    /**
     * Removes a stream or a consumer, in up to {@value #ATTEMPTS} attempts.
     *
     * @param unknown the server's error code for a missing stream or consumer
     * @throws ApiError if the server refuses, or the stream or consumer was missing at the first attempt
     */
    static void of(Request request, int unknown) throws IOException, InterruptedException {
        for (int attempt = 1;; attempt++) {
            try {
                request.send();
                return;
            } catch (ApiError e) {
                if (attempt > 1 && e.code() == unknown) {
                    return;
                }
                if (attempt == ATTEMPTS || !String.valueOf(e.getMessage()).contains("directory not empty")) {
                    throw e;
                }
            }
        }
    }
}
