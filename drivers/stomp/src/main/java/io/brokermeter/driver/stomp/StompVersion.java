package io.brokermeter.driver.stomp;

import org.jspecify.annotations.Nullable;

/** A version of the protocol, with its rules for escapes in headers. */
enum StompVersion {

    V1_0("1.0"), V1_1("1.1"), V1_2("1.2");

    private final String number;

    StompVersion(String number) {
        this.number = number;
    }

    /** Returns the version that a CONNECTED frame names; 1.0 if it names none, and null for an unknown version. */
    static @Nullable StompVersion of(@Nullable String number) {
        if (number == null) {
            return V1_0;
        }
        for (StompVersion version : values()) {
            if (version.number.equals(number.strip())) {
                return version;
            }
        }
        return null;
    }

    String number() {
        return number;
    }

    /**
     * Escapes a text for a header.
     *
     * @param inName whether it is the header's name rather than its value
     * @throws IllegalArgumentException with one sentence, if this version cannot carry the text
     */
    String escape(String text, boolean inName) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\0' -> throw unable(text, "a NUL");
                case '\n' -> escaped.append(this == V1_0 ? unescapable(text, "a line feed") : "\\n");
                case '\r' -> escaped.append(this != V1_2 ? unescapable(text, "a carriage return") : "\\r");
                case ':' -> escaped.append(this != V1_0 ? "\\c" : inName ? unescapable(text, "a colon") : ":");
                case '\\' -> escaped.append(this == V1_0 ? "\\" : "\\\\");
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }

    private String unescapable(String text, String what) {
        throw unable(text, what);
    }

    private IllegalArgumentException unable(String text, String what) {
        return new IllegalArgumentException("STOMP " + number + " cannot carry " + what + " in the header '"
            + text.replaceAll("\\p{Cntrl}", "?") + "'.");
    }

    /** Returns a text without its escapes. */
    String unescape(String text) {
        if (this == V1_0 || text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\' || i + 1 == text.length()) {
                plain.append(c);
                continue;
            }
            char escaped = text.charAt(++i);
            switch (escaped) {
                case 'n' -> plain.append('\n');
                case 'r' -> plain.append('\r');
                case 'c' -> plain.append(':');
                case '\\' -> plain.append('\\');
                default -> plain.append(c).append(escaped);
            }
        }
        return plain.toString();
    }
}
