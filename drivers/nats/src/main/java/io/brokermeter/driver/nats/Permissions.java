package io.brokermeter.driver.nats;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.DriverException;
import io.nats.client.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What a server says of rights that a user lacks. It answers the forbidden command with such an error and nothing else, the
 * connection stays open, and the client only notes it: a request then waits in vain, and a subscription gets nothing.
 */
final class Permissions {

    private static final String VIOLATION = "Permissions Violation";
    private static final String OF_SUBSCRIPTION = "Subscription to";

    private Permissions() {}

    /** Whether an error leaves the connection open. */
    static boolean isViolation(@Nullable String error) {
        return error != null && error.contains(VIOLATION);
    }

    /** Forgets what was forbidden, before something is asked for. */
    static void forget(Connection connection) {
        connection.clearLastError();
    }

    /** What the server forbade last; empty for nothing. */
    static String last(Connection connection) {
        String error = connection.getLastError();
        return error != null && isViolation(error) ? error : "";
    }

    /** @throws DriverException when one that the server has read by now was forbidden */
    static void requireSubscription(Connection connection, Destination destination) throws DriverException {
        String violation = last(connection);
        if (violation.contains(OF_SUBSCRIPTION)) {
            throw refused(destination, violation, null);
        }
    }

    /** What to report of something that failed: what the server forbade meanwhile, where there is such a thing. */
    static Exception causeOf(Connection connection, Destination destination, Exception failure) {
        String violation = last(connection);
        return failure instanceof DriverException || violation.isEmpty() ? failure : refused(destination, violation, failure);
    }

    static DriverException refused(Destination destination, String violation, @Nullable Exception cause) {
        return new DriverException("The NATS server does not allow this user what " + destination + " needs (" + violation + ").", cause);
    }
}
