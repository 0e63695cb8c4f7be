package io.brokermeter.spi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The attributes, apart from the body, that may differ between messages of one producer. A producer knows all its variants
 * before it starts, so that a driver can encode each variant once. Immutable.
 *
 * @param group message group, key or routing key, by which the protocol keeps messages together; null for none
 * @param priority 0 to 9, or -1 for the protocol's default
 * @param headers application properties by name, which selectors read and which some protocols call headers; none of them is
 *     called {@value Payload#PROPERTY}
 */
public record MessageVariant(@Nullable String group, int priority, Map<String, String> headers) {

    /** The variant without group, priority and headers. */
    public static final MessageVariant PLAIN = new MessageVariant(null, -1, Map.of());

    public MessageVariant {
        if (priority < -1 || priority > 9) {
            throw new IllegalArgumentException("A priority is from 0 to 9, not " + priority + ".");
        }
        if (headers.containsKey(Payload.PROPERTY)) {
            // a receiver would take it for an envelope
            throw new Refusal("A header of %s cannot be called '%s', which is the name of the envelope; choose another name.",
                Setting.MESSAGE_HEADERS, Payload.PROPERTY);
        }
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }
}
