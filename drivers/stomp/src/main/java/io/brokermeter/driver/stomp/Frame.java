package io.brokermeter.driver.stomp;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** Builds a frame without a body, or the head of a frame. Not for frames that are sent with each message. */
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

    /** Adds a header unescaped, unless the value is null; for CONNECT, whose headers are not escaped. */
    Frame withPlain(String name, @Nullable String value) {
        if (value != null) {
            text.append(name).append(':').append(value).append('\n');
        }
        return this;
    }

    /** Returns the command and the headers so far, followed by {@code next}, the beginning of another header. */
    byte[] head(String next) {
        return (text + next).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the whole frame, with an empty body. */
    byte[] whole() {
        return (text + "\n\0").getBytes(StandardCharsets.UTF_8);
    }
}
