package io.brokermeter.driver.mqtt;

import java.util.Locale;

/** Reason codes of version 5 (section 2.4) and the return codes of 3.1.1, in words. */
final class Reason {

    /** From here on a reason code means failure. */
    static final int FAILURE = 0x80;

    private Reason() {}

    /** A reason code in words with its number, and with what the broker adds. */
    static String text(int code, String added) {
        String words = switch (code) {
            case 0x00 -> "normal end";
            case 0x04 -> "end with will";
            case 0x10 -> "no matching subscribers";
            case 0x11 -> "no such subscription";
            case 0x80 -> "unspecified error";
            case 0x81 -> "malformed packet";
            case 0x82 -> "protocol error";
            case 0x83 -> "implementation specific error";
            case 0x84 -> "unsupported protocol version";
            case 0x85 -> "client id not valid";
            case 0x86 -> "bad user name or password";
            case 0x87 -> "not authorized";
            case 0x88 -> "server unavailable";
            case 0x89 -> "server busy";
            case 0x8a -> "banned";
            case 0x8b -> "server shutting down";
            case 0x8c -> "bad authentication method";
            case 0x8d -> "keep alive timeout";
            case 0x8e -> "session taken over";
            case 0x8f -> "topic filter invalid";
            case 0x90 -> "topic name invalid";
            case 0x91 -> "packet identifier in use";
            case 0x92 -> "packet identifier not found";
            case 0x93 -> "receive maximum exceeded";
            case 0x94 -> "topic alias invalid";
            case 0x95 -> "packet too large";
            case 0x96 -> "message rate too high";
            case 0x97 -> "quota exceeded";
            case 0x98 -> "administrative action";
            case 0x99 -> "payload format invalid";
            case 0x9a -> "retain not supported";
            case 0x9b -> "QoS not supported";
            case 0x9c -> "use another server";
            case 0x9d -> "server moved";
            case 0x9e -> "shared subscriptions not supported";
            case 0x9f -> "connection rate exceeded";
            case 0xa0 -> "maximum connect time";
            case 0xa1 -> "subscription identifiers not supported";
            case 0xa2 -> "wildcard subscriptions not supported";
            default -> "unknown reason";
        };
        String hex = String.format(Locale.ROOT, "0x%02X", code);
        return added.isBlank() ? words + ", " + hex : words + ", " + hex + ": " + added.strip();
    }

    /** The reason code that says the same as a return code of version 3.1.1's CONNACK. */
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
