package io.brokermeter.spi;

/**
 * A password on its way from the user to a client library. It never shows itself: {@link #toString()} is a mask, so a
 * record that holds one can be printed and logged.
 */
public final class Secret {

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    public static Secret of(String value) {
        return new Secret(value);
    }

    /** The secret itself, for the client library only. */
    public String reveal() {
        return value;
    }

    @Override
    public String toString() {
        return "***";
    }
}
