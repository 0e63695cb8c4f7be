package io.brokermeter.driver.nats;

import java.io.IOException;

/** JetStream's refusal of a request, with the server's own code. */
final class ApiError extends IOException {

    private static final long serialVersionUID = 1;

    private final int code;

    ApiError(int code, String description) {
        super(description + " [" + code + "]");
        this.code = code;
    }

    int code() {
        return code;
    }
}
