package io.brokermeter.driver.nats;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import io.nats.client.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The server's errors about permissions that a user lacks. The server answers a forbidden command with such an error and nothing else, the
 * connection stays open, and the client only records it: a request then waits in vain, and a subscription gets nothing.
 */
final class Permissions {

    private static final String VIOLATION = "Permissions Violation";
    private static final String OF_SUBSCRIPTION = "Subscription to";

    private Permissions() {}

    /** Returns whether an error is a permission violation, which leaves the connection open. */
    static boolean isViolation(@Nullable String error) {
        return error != null && error.contains(VIOLATION);
    }

    /** Forgets the last violation, before a request. */
    static void forget(Connection connection) {
        connection.clearLastError();
    }

    /** Returns the last violation; empty if there is none. */
    static String last(Connection connection) {
        String error = connection.getLastError();
        return error != null && isViolation(error) ? error : "";
    }

    /** @throws DriverException if a subscription that the server has processed by now was forbidden */
    static void requireSubscription(Connection connection, Destination destination) throws DriverException {
        String violation = last(connection);
        if (violation.contains(OF_SUBSCRIPTION)) {
            throw refused(destination, violation, null);
        }
    }

    /** Returns the exception to report for a failure: a violation that the server reported meanwhile, otherwise the failure. */
    static Exception causeOf(Connection connection, Destination destination, Exception failure) {
        String violation = last(connection);
        return failure instanceof DriverException || violation.isEmpty() ? failure : refused(destination, violation, failure);
    }

    static DriverException refused(Destination destination, String violation, @Nullable Exception cause) {
        return new DriverException("The NATS server does not allow this user what " + destination + " needs (" + violation + ").", cause);
    }
}
