package io.brokermeter.driver.stomp;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** Builds a frame without a body, or the head of one. For what is not sent with each message. */
final class Frame {

    private final StringBuilder text;
    private final StompVersion version;

    Frame(String command, StompVersion version) {
        this.text = new StringBuilder(command).append('\n');
        this.version = version;
    }

    /** Adds a header, escaped. */
    Frame with(String name, String value) {
        text.append(version.escape(name, true)).append(':').append(version.escape(value, false)).append('\n');
        return this;
    }

    /** Adds a header as it is, unless it has no value; for CONNECT, whose headers are not escaped. */
    Frame withPlain(String name, @Nullable String value) {
        if (value != null) {
            text.append(name).append(':').append(value).append('\n');
        }
        return this;
    }

    /** The command and the headers so far, and the beginning of another one. */
    byte[] head(String next) {
        return (text + next).getBytes(StandardCharsets.UTF_8);
    }

    /** The whole frame, with an empty body. */
    byte[] whole() {
        return (text + "\n\0").getBytes(StandardCharsets.UTF_8);
    }
}
