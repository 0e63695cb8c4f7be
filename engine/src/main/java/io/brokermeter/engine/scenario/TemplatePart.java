package io.brokermeter.engine.scenario;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A part of a template: text that stays as it is, or a placeholder. Immutable. */
public sealed interface TemplatePart {

    /** Bytes of the longest whole number of 64 bits, with its sign. */
    int DIGITS = 20;

    /** Bytes of the longest text that can come of it. */
    long longest();

    /** Text that stays as it is. */
    record Literal(String text) implements TemplatePart {
        @Override
        public long longest() {
            return bytes(text);
        }
    }

    /** The number of the message within its group, from {@code start} in steps of {@code step}. */
    record Counter(long start, long step) implements TemplatePart {
        @Override
        public long longest() {
            return DIGITS;
        }
    }

    /** A random whole number, both bounds included. */
    record Whole(long least, long most) implements TemplatePart {
        @Override
        public long longest() {
            return DIGITS;
        }
    }

    /**
     * A random number with decimals, both bounds included.
     *
     * @param least the lower bound times ten to the power of {@code decimals}
     * @param most the upper bound, in the same way
     * @param decimals digits behind the point, 1 or more
     */
    record Decimal(long least, long most, int decimals) implements TemplatePart {
        @Override
        public long longest() {
            return DIGITS + 2;
        }
    }

    /** Random letters from a to z. */
    record Letters(int count) implements TemplatePart {
        @Override
        public long longest() {
            return count;
        }
    }

    /** Random hexadecimal digits. */
    record Hex(int digits) implements TemplatePart {
        @Override
        public long longest() {
            return digits;
        }
    }

    /** A random UUID. */
    record Uuid() implements TemplatePart {
        @Override
        public long longest() {
            return 36;
        }
    }

    /** The time as ISO 8601 has it, in UTC with milliseconds. */
    record Time() implements TemplatePart {
        @Override
        public long longest() {
            return 24;
        }
    }

    /** The time in milliseconds since 1970. */
    record Millis() implements TemplatePart {
        @Override
        public long longest() {
            return DIGITS;
        }
    }

    /** The number of the producer. */
    record Producer() implements TemplatePart {
        @Override
        public long longest() {
            return DIGITS;
        }
    }

    /** One of these, at random. */
    record Choice(List<String> choices) implements TemplatePart {

        public Choice {
            choices = List.copyOf(choices);
        }

        @Override
        public long longest() {
            return choices.stream().mapToLong(TemplatePart::bytes).max().orElse(0);
        }
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
