package io.brokermeter.spi.parameter;

import org.jspecify.annotations.Nullable;

/**
 * A password on its way from the user to a client library. Immutable. {@link #toString()} returns a mask, so a record that
 * holds a secret can be printed and logged.
 */
public final class Secret {

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /** Creates a secret with this text. */
    public static Secret of(String value) {
        return new Secret(value);
    }

    /** Returns the text of the secret, for the client library only. */
    public String reveal() {
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret secret && value.equals(secret.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return "***";
    }
}
