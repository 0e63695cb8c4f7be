package io.brokermeter.driver.kafka;

import io.brokermeter.spi.failure.Failure;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.utils.AppInfoParser;

/** Words the exceptions of Kafka's client. */
final class FailureWords {

    private FailureWords() {}

    /**
     * Returns whether a message whose send failed in this way may nevertheless be stored: no broker answered, or the broker that did
     * already had the message. A message that the client gives up by itself, because it is closed or out of time, may have been sent
     * before. A leader that loses leadership while it waits for its replicas answers that it is not the leader, and the next leader may
     * have got the message from it. An internal error of the broker or of its disk does not tell whether the message was stored. Too few
     * replicas refuse only the last attempt: an earlier attempt may have been stored when there were more.
     *
     * @param retries whether the client may have sent the message several times
     */
    static boolean leavesUnknown(Throwable failure, boolean retries) {
        return !(failure instanceof ApiException) || failure instanceof TimeoutException || failure instanceof DisconnectException
            || failure instanceof NetworkException || failure instanceof NotEnoughReplicasAfterAppendException
            || failure instanceof NotLeaderOrFollowerException || failure instanceof KafkaStorageException
            || failure instanceof UnknownServerException || retries && failure instanceof NotEnoughReplicasException;
    }

    /** Returns a sentence that attributes a failure: to the broker's refusal, to its silence, or to the client itself. */
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

    /** Describes a failure that the broker did not cause: its class, the method that threw it, and its message. */
    static String own(Throwable cause) {
        StackTraceElement[] trace = cause.getStackTrace();
        String where = trace.length == 0 ? "" : " in " + trace[0].getClassName().replaceFirst(".*\\.", "") + "."
            + trace[0].getMethodName();
        return cause.getClass().getSimpleName() + where + (cause.getMessage() == null ? "" : ": " + Failure.words(cause));
    }
}
