package io.brokermeter.engine.scenario.message;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A part of a template: text that stays as it is, or a placeholder. Immutable. */
public sealed interface TemplatePart {

    /** Text that stays as it is. */
    record Literal(String text) implements TemplatePart {}

    /** The number of the message within its group, from {@code start} in steps of {@code step}. */
    record Counter(long start, long step) implements TemplatePart {}

    /** A random whole number, both bounds included. */
    record Whole(long least, long most) implements TemplatePart {}

    /**
     * A random number with decimals, both bounds included.
     *
     * @param least the lower bound times ten to the power of {@code decimals}
     * @param most the upper bound, in the same way
     * @param decimals digits behind the point, 1 or more
     */
    record Decimal(long least, long most, int decimals) implements TemplatePart {}

    /** Random letters from a to z. */
    record Letters(int count) implements TemplatePart {}

    /** Random hexadecimal digits. */
    record Hex(int digits) implements TemplatePart {}

    /** A random UUID. */
    record Uuid() implements TemplatePart {}

    /** The time in ISO 8601 format, in UTC with milliseconds. */
    record Time() implements TemplatePart {}

    /** The time in milliseconds since 1970. */
    record Millis() implements TemplatePart {}

    /** The number of the producer. */
    record Producer() implements TemplatePart {}

    /** One of several texts, at random. */
    record Choice(List<String> choices) implements TemplatePart {

        public Choice {
            choices = List.copyOf(choices);
        }
    }

    /** Returns the length of the longest text that the part can yield, in bytes; a whole number has up to 20, with its sign. */
    default long longest() {
        return switch (this) {
            case Literal(String text) -> bytes(text);
            case Counter _,Whole _,Millis _,Producer _ -> 20;
            case Decimal _ -> 22;
            case Letters(int count) -> count;
            case Hex(int digits) -> digits;
            case Uuid _ -> 36;
            case Time _ -> 24;
            case Choice(List<String> choices) -> choices.stream().mapToLong(TemplatePart::bytes).max().orElse(0);
        };
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
