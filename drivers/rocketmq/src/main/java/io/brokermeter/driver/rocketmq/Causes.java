package io.brokermeter.driver.rocketmq;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import io.brokermeter.spi.failure.DriverException;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.remoting.exception.RemotingConnectException;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.exception.RemotingSendRequestException;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;
import org.apache.rocketmq.remoting.protocol.RemotingSysResponseCode;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.jspecify.annotations.Nullable;

/**
 * Words the failures that brokers and client report. A response code comes first, with its name; values that differ from one answer to the
 * next are removed, so that the same cause has the same text.
 */
final class Causes {

    private static final Pattern VARYING =
        Pattern.compile(",? *\\b(?:period in queue|size of queue|cost|waiting thread nums|RT)[=:]? *\\[?-?\\d+]? ?(?:ms)?");
    private static final Pattern ADVICE = Pattern.compile("\\s*(?:See|For more information).*https?://.*", Pattern.DOTALL);

    private static final Map<Integer, String> CODES = codes();

    private Causes() {}

    private static Map<Integer, String> codes() {
        Map<Integer, String> codes = new HashMap<>();
        for (Class<?> type : new Class<?>[] {RemotingSysResponseCode.class, ResponseCode.class}) {
            for (var field : type.getFields()) {
                if (field.getType() == int.class) {
                    try {
                        codes.put(field.getInt(null), field.getName());
                    } catch (IllegalAccessException e) {
                        // a code without a name is shown as its number
                    }
                }
            }
        }
        return codes;
    }

    /** Returns the exception for a failed send. */
    static DriverException ofSend(Throwable thrown, String topic) {
        Throwable cause = root(thrown);
        return new DriverException(switch (cause) {
            case MQBrokerException refused -> coded(refused.getResponseCode(), refused.getErrorMessage());
            case RemotingTimeoutException late -> "TIMEOUT: The broker did not answer a send to " + topic + " in time.";
            case RemotingConnectException gone -> "NO_CONNECTION: The broker of " + topic + " cannot be reached.";
            case RemotingSendRequestException broken ->
                "CONNECTION_LOST: The connection broke before the broker answered a send to " + topic + ".";
            case MQClientException refused when refused.getResponseCode() > 0 ->
                coded(refused.getResponseCode(), refused.getErrorMessage());
            default -> steady(String.valueOf(cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        }, thrown);
    }

    /** Returns whether a failure means that the broker refused the message, or that the client never gave it to the broker. */
    static boolean isRefusal(Throwable thrown) {
        return switch (root(thrown)) {
            case RemotingTimeoutException late -> false;
            case RemotingSendRequestException broken -> false;
            case InterruptedException interrupted -> false;
            default -> true;
        };
    }

    /** Returns the exception for a status other than OK: the master has the message, but not as safely as it was configured to. */
    static DriverException ofStatus(SendStatus status) {
        int code = switch (status) {
            case FLUSH_DISK_TIMEOUT -> ResponseCode.FLUSH_DISK_TIMEOUT;
            case FLUSH_SLAVE_TIMEOUT -> ResponseCode.FLUSH_SLAVE_TIMEOUT;
            default -> ResponseCode.SLAVE_NOT_AVAILABLE;
        };
        return new DriverException(coded(code, "The master has the message, but not as safely as it was told to keep it."), null);
    }

    /**
     * Returns the exception for a failed administrative step.
     *
     * @param doing what was tried, as the end of a sentence that begins with "RocketMQ cannot"
     */
    static DriverException of(String doing, Throwable thrown) {
        Throwable cause = root(thrown);
        String why = switch (cause) {
            case MQBrokerException refused -> coded(refused.getResponseCode(), refused.getErrorMessage());
            case MQClientException refused when refused.getResponseCode() > 0 ->
                coded(refused.getResponseCode(), refused.getErrorMessage());
            case RemotingTimeoutException late -> "the broker did not answer in time";
            case RemotingException broken -> "the connection broke or cannot be made";
            default -> steady(String.valueOf(cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        };
        return new DriverException("RocketMQ cannot " + doing + ": " + why + (why.endsWith(".") ? "" : "."), thrown);
    }

    /** Returns a new exception for a failure that is reported more than once, with the stack trace of this call. */
    static DriverException again(Throwable cause) {
        return new DriverException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), cause);
    }

    private static String coded(int code, @Nullable String message) {
        return CODES.getOrDefault(code, "CODE").toUpperCase(Locale.ROOT) + " (" + code + "): " + steady(message == null ? "" : message);
    }

    private static String steady(String message) {
        return VARYING.matcher(ADVICE.matcher(message).replaceAll("")).replaceAll("").strip();
    }

    /** Returns the failure that the broker or the network reported, which the client wraps. */
    private static Throwable root(Throwable thrown) {
        Throwable found = thrown;
        while (found.getCause() != null && found.getCause() != found && !(found instanceof MQBrokerException)
            && !(found instanceof RemotingException)) {
            found = found.getCause();
        }
        return found;
    }
}
