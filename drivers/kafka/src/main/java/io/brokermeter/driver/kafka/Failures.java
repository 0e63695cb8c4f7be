package io.brokermeter.driver.kafka;

import java.util.IdentityHashMap;
import java.util.Map;

/** The words of what Kafka's client throws. */
final class Failures {

    private Failures() { }

    static Throwable deepest(Throwable failure) {
        Map<Throwable, Boolean> seen = new IdentityHashMap<>();
        Throwable at = failure;
        while (at.getCause() != null && seen.put(at, true) == null) {
            at = at.getCause();
        }
        return at;
    }

    /** The message in one line without a full stop; the name of the class when there is none. */
    static String text(Throwable failure) {
        String message = failure.getMessage();
        String text = message == null ? failure.getClass().getSimpleName() : message.strip().replaceAll("\\s*\\R\\s*", " ");
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
