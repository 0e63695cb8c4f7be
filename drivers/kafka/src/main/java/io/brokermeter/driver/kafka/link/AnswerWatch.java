package io.brokermeter.driver.kafka.link;

import org.apache.kafka.common.errors.DisconnectException;
import org.jspecify.annotations.Nullable;

/** Tells whether a broker leaves the oldest request of a connection unanswered for the time of {@code request.timeout.ms}. One thread at a time. */
public final class AnswerWatch {

    /** The number of looks in that time. */
    private static final int LOOKS = 10;
    private static final int NONE = -1;

    private int oldest = NONE;
    private int looks;

    /** Returns the time between two looks in nanoseconds. */
    public static long interval(LinkSettings settings) {
        return settings.requestNanos() / LOOKS;
    }

    /**
     * Looks once.
     *
     * @param number number of the oldest request, from 0; null if nothing is unanswered
     * @return why the connection is to end; null if it is not
     */
    public @Nullable DisconnectException look(@Nullable Integer number) {
        int seen = number == null ? NONE : number;
        if (seen == NONE || seen != oldest) {
            oldest = seen;
            looks = 0;
            return null;
        }
        return ++looks < LOOKS ? null : new DisconnectException("The broker did not answer for the time of request.timeout.ms.");
    }
}
