package io.brokermeter.spi;

/**
 * A queue or a topic. Immutable.
 *
 * @param kind queue (each message to one consumer) or topic (each message to every subscription)
 * @param name its name at the broker; for Artemis it may be a fully qualified {@code address::queue}
 */
public record Destination(Kind kind, String name) {

    /** The two kinds of destinations: queues and topics. */
    public enum Kind { QUEUE, TOPIC }

    public Destination {
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                "A destination needs a name after " + kind.name().toLowerCase(java.util.Locale.ROOT) + "://.");
        }
    }

    /**
     * Parses {@code queue://NAME}, {@code topic://NAME} or a plain name, which is that of a queue.
     *
     * @throws IllegalArgumentException with one sentence for the user, when the name is empty or the scheme unknown
     */
    public static Destination parse(String text) {
        int scheme = text.indexOf("://");
        if (scheme < 0) {
            return new Destination(Kind.QUEUE, text);
        }
        String name = text.substring(scheme + 3);
        return switch (text.substring(0, scheme)) {
            case "queue" -> new Destination(Kind.QUEUE, name);
            case "topic" -> new Destination(Kind.TOPIC, name);
            default -> throw new IllegalArgumentException(
                "Destination '" + text + "' must start with queue:// or topic://, or be a plain queue name.");
        };
    }

    /** Returns whether this is a topic, so that each message goes to every subscription and not to one consumer. */
    public boolean isTopic() {
        return kind == Kind.TOPIC;
    }

    /** Returns a destination of the same kind with {@code suffix} appended to its name. */
    public Destination withSuffix(String suffix) {
        return new Destination(kind, name + suffix);
    }

    @Override
    public String toString() {
        return (isTopic() ? "topic://" : "queue://") + name;
    }
}
