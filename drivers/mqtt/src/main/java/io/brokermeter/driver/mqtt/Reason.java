package io.brokermeter.driver.mqtt;

import java.util.List;
import java.util.Locale;

/** The reason codes of version 5 (section 2.4) and the return codes of 3.1.1, in words. */
final class Reason {

    /** The smallest reason code that means failure. */
    static final int FAILURE = 0x80;

    /** The words for failures, by code minus {@link #FAILURE}. */
    private static final List<String> FAILURES = List.of("unspecified error", "malformed packet", "protocol error",
        "implementation specific error", "unsupported protocol version", "client id not valid", "bad user name or password",
        "not authorized", "server unavailable", "server busy", "banned", "server shutting down", "bad authentication method",
        "keep alive timeout", "session taken over", "topic filter invalid", "topic name invalid", "packet identifier in use",
        "packet identifier not found", "receive maximum exceeded", "topic alias invalid", "packet too large", "message rate too high",
        "quota exceeded", "administrative action", "payload format invalid", "retain not supported", "QoS not supported",
        "use another server", "server moved", "shared subscriptions not supported", "connection rate exceeded",
        "maximum connect time", "subscription identifiers not supported", "wildcard subscriptions not supported");

    private Reason() {}

    /** Returns a reason code in words with its number, and with the broker's addition. */
    static String text(int code, String added) {
        String words = code >= FAILURE && code < FAILURE + FAILURES.size() ? FAILURES.get(code - FAILURE) : switch (code) {
            case 0x00 -> "normal end";
            case 0x04 -> "end with will";
            case 0x10 -> "no matching subscribers";
            case 0x11 -> "no such subscription";
            default -> "unknown reason";
        };
        String hex = String.format(Locale.ROOT, "0x%02X", code);
        return added.isBlank() ? words + ", " + hex : words + ", " + hex + ": " + added.strip();
    }

    /** Returns the reason code that corresponds to a return code in the CONNACK of version 3.1.1. */
    static int ofReturnCode(int code) {
        return switch (code) {
            case 0 -> 0;
            case 1 -> 0x84;
            case 2 -> 0x85;
            case 3 -> 0x88;
            case 4 -> 0x86;
            case 5 -> 0x87;
            default -> FAILURE;
        };
    }
}
