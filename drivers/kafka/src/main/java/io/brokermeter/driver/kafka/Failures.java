package io.brokermeter.driver.kafka;

import io.brokermeter.spi.Failure;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.utils.AppInfoParser;

/** The words of what Kafka's client throws. */
final class Failures {

    private Failures() {}

    /**
     * Whether a message that failed so may be stored all the same: no broker answered, or the one that did had it already. What
     * the client gives up by itself, because it is closed or out of time, may have been sent before.
     */
    static boolean leavesUnknown(Throwable failure) {
        return !(failure instanceof ApiException) || failure instanceof TimeoutException || failure instanceof DisconnectException
            || failure instanceof NetworkException || failure instanceof NotEnoughReplicasAfterAppendException;
    }

    /** Whose failure it is: the broker's refusal, its silence, or the client's own. */
    static String sentence(String doing, Throwable cause) {
        if (cause instanceof TimeoutException || cause instanceof DisconnectException) {
            return "The broker did not answer while " + doing + ": " + Failure.words(cause) + ".";
        }
        if (cause instanceof UnsupportedVersionException) {
            return "The broker cannot do what is needed for " + doing + ": " + Failure.words(cause) + ".";
        }
        if (cause instanceof KafkaException) {
            return "The broker refused " + doing + ": " + Failure.words(cause) + ".";
        }
        return "Kafka's client " + AppInfoParser.getVersion() + " failed at " + doing + " (" + own(cause)
            + "); the broker's answer lacks something that this client needs.";
    }

    /** A failure that is nobody's refusal: what it is, and where. */
    static String own(Throwable cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        String where = trace.length == 0 ? "" : " in " + trace[0].getClassName().replaceFirst(".*\\.", "") + "."
            + trace[0].getMethodName();
        return cause.getClass().getSimpleName() + where + (cause.getMessage() == null ? "" : ": " + Failure.words(cause));
    }
}
