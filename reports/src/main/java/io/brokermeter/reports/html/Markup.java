package io.brokermeter.reports.html;

/**
 * Builds HTML text, piece by piece. Everything that is not a tag of brokermeter's own is escaped, so that no name or
 * sentence can become one.
 */
public final class Markup {

    private final StringBuilder text = new StringBuilder();

    /** Returns a text with the characters escaped that HTML would interpret. */
    private static String escape(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.append(c);
            }
        }
        return safe.toString();
    }

    /**
     * Begins an element.
     *
     * @param attributes names and values in turn
     */
    public Markup open(String name, String... attributes) {
        text.append('<').append(name);
        for (int i = 0; i + 1 < attributes.length; i += 2) {
            text.append(' ').append(attributes[i]).append("=\"").append(escape(attributes[i + 1])).append('"');
        }
        text.append('>');
        return this;
    }

    public Markup close(String name) {
        text.append("</").append(name).append('>');
        return this;
    }

    /** Appends text between tags. */
    public Markup text(String words) {
        text.append(escape(words));
        return this;
    }

    /** Appends an element with text in it. */
    public Markup element(String name, String words, String... attributes) {
        return open(name, attributes).text(words).close(name);
    }

    /** Appends other markup. */
    public Markup add(Markup made) {
        text.append(made.text);
        return this;
    }

    /** Appends a line end, for those who read the source. */
    public Markup line() {
        text.append('\n');
        return this;
    }

    boolean isEmpty() {
        return text.isEmpty();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
