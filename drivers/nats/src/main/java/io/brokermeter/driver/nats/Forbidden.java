package io.brokermeter.driver.nats;

import java.io.IOException;

/**
 * The server's word that this user lacks a permission. The server answers a forbidden command with such an error and nothing else, and the
 * connection stays open.
 */
final class Forbidden extends IOException {

    private static final long serialVersionUID = 1;

    private static final String VIOLATION = "Permissions Violation";

    /** @param violation the server's words */
    Forbidden(String violation) {
        super(violation);
    }

    /** Returns whether an error is a permission violation. */
    static boolean isIt(String error) {
        return error.contains(VIOLATION);
    }

    /** Returns whether a violation is about a subject. */
    static boolean isAbout(String violation, String subject) {
        return violation.contains('"' + subject + '"');
    }
}
