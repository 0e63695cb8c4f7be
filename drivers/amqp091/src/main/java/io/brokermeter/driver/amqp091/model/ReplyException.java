package io.brokermeter.driver.amqp091.model;

import io.brokermeter.spi.failure.DriverException;

/** A refusal by the broker, which closes the channel or connection concerned. */
public final class ReplyException extends DriverException {

    public static final int NOT_FOUND = 404;
    public static final int ACCESS_REFUSED = 403;

    private final int code;

    /**
     * @param code reply code of the protocol
     * @param sentence one whole sentence for the user
     */
    public ReplyException(int code, String sentence) {
        super(sentence, null);
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** Creates a refusal from what happened and the broker's words. */
    public static ReplyException of(String what, int code, String text) {
        String words = text.isBlank() ? "no reason given" : text.strip();
        return new ReplyException(code, what + ": " + words + " (" + code + ").");
    }
}
