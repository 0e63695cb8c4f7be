package io.brokermeter.engine.envelope;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.TemplatePart;

/**
 * A text with placeholders in double braces, which is split into parts once and written into an array for each message. The
 * length of the longest possible text is known beforehand. The text may be of any kind, JSON for example. Immutable.
 */
final class Template {

    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final List<Writing> parts;
    private final int longest;

    private Template(List<Writing> parts, int longest) {
        this.parts = parts;
        this.longest = longest;
    }

    /** A part of the text, which writes itself at an offset and returns the offset behind it. */
    @FunctionalInterface
    private interface Writing {
        int write(byte[] to, int at, Moment now);
    }

    static Template of(Content.Template template) {
        List<TemplatePart> parts = template.parts();
        return new Template(parts.stream().map(Template::writing).toList(),
            Math.toIntExact(parts.stream().mapToLong(TemplatePart::longest).sum()));
    }

    private static Writing writing(TemplatePart part) {
        return switch (part) {
            case TemplatePart.Literal(String text) -> {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                yield (to, at, now) -> copy(bytes, to, at);
            }
            case TemplatePart.Counter(long start, long step) -> (to, at, now) -> number(to, at, start + step * now.number);
            case TemplatePart.Whole(long least, long most) ->
                (to, at, now) -> number(to, at, now.random.nextLong(least, most + 1));
            case TemplatePart.Decimal decimal -> decimal(decimal);
            case TemplatePart.Letters(int count) -> (to, at, now) -> {
                for (int i = at; i < at + count; i++) {
                    to[i] = (byte) ('a' + now.random.nextInt(26));
                }
                return at + count;
            };
            case TemplatePart.Hex(int digits) -> (to, at, now) -> randomHex(to, at, digits, now.random);
            case TemplatePart.Uuid() -> (to, at, now) -> uuid(to, at, now.random);
            case TemplatePart.Time() -> (to, at, now) -> now.time(to, at);
            case TemplatePart.Millis() -> (to, at, now) -> number(to, at, now.millis());
            case TemplatePart.Producer() -> (to, at, now) -> number(to, at, now.place.producer());
            case TemplatePart.Choice(List<String> texts) -> {
                byte[][] choices = texts.stream().map(each -> each.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
                yield (to, at, now) -> copy(choices[now.random.nextInt(choices.length)], to, at);
            }
        };
    }

    private static Writing decimal(TemplatePart.Decimal decimal) {
        long least = decimal.least();
        long most = decimal.most();
        int after = decimal.decimals();
        long unit = BigInteger.TEN.pow(after).longValueExact();
        return (to, at, now) -> {
            long value = now.random.nextLong(least, most + 1);
            int begin = at;
            if (value < 0) {
                to[begin++] = '-';
                value = -value;
            }
            int end = number(to, begin, value / unit);
            to[end] = '.';
            return padded(to, end + 1, value % unit, after);
        };
    }

    /** Returns the length of the longest possible text, in bytes. */
    int longest() {
        return longest;
    }

    /** Creates a maker that writes the texts of one producer. */
    BodyMaker maker(BodyLaw.Place place) {
        return maker(place, EpochClock::nanos);
    }

    BodyMaker maker(BodyLaw.Place place, LongSupplier clock) {
        Writing[] all = parts.toArray(Writing[]::new);
        Moment now = new Moment(place, clock);
        return (array, sequence) -> {
            now.begin(sequence);
            int at = 0;
            for (Writing part : all) {
                at = part.write(array, at, now);
            }
            return at;
        };
    }

    /** The state from which the placeholders of one producer's current message are made. */
    private static final class Moment {

        private final BodyLaw.Place place;
        private final SplittableRandom random;
        private final LongSupplier clock;
        private long number;
        private long millis;
        private long day = Long.MIN_VALUE;
        private byte[] date = new byte[0];

        Moment(BodyLaw.Place place, LongSupplier clock) {
            this.place = place;
            this.random = place.random();
            this.clock = clock;
        }

        void begin(long sequence) {
            number = place.number(sequence);
            millis = -1;
        }

        /** Returns the milliseconds since 1970, which are the same throughout one message. */
        long millis() {
            if (millis < 0) {
                millis = clock.getAsLong() / 1_000_000;
            }
            return millis;
        }

        /** Writes the time in UTC in ISO 8601 format, with milliseconds, and returns the end. The date is formatted once a day. */
        int time(byte[] to, int at) {
            long now = millis();
            long today = now / 86_400_000;
            if (today != day) {
                day = today;
                date = LocalDate.ofEpochDay(today).toString().getBytes(StandardCharsets.US_ASCII);
            }
            System.arraycopy(date, 0, to, at, date.length);
            int end = at + date.length;
            int rest = (int) (now % 86_400_000);
            to[end] = 'T';
            two(to, end + 1, rest / 3_600_000);
            to[end + 3] = ':';
            two(to, end + 4, rest / 60_000 % 60);
            to[end + 6] = ':';
            two(to, end + 7, rest / 1000 % 60);
            to[end + 9] = '.';
            to[end + 10] = (byte) ('0' + rest % 1000 / 100);
            two(to, end + 11, rest % 100);
            to[end + 13] = 'Z';
            return end + 14;
        }

        private static void two(byte[] to, int at, int number) {
            to[at] = (byte) ('0' + number / 10);
            to[at + 1] = (byte) ('0' + number % 10);
        }
    }

    /** Writes a whole number and returns the offset behind it. */
    private static int number(byte[] to, int at, long value) {
        int begin = at;
        long rest = value;
        if (rest < 0) {
            to[begin++] = '-';
            rest = -rest;
        }
        int digits = 1;
        for (long left = rest / 10; left > 0; left /= 10) {
            digits++;
        }
        return padded(to, begin, rest, digits);
    }

    /** Writes a number that is not negative with exactly {@code digits} digits and returns the offset behind it. */
    private static int padded(byte[] to, int at, long value, int digits) {
        long rest = value;
        for (int i = at + digits - 1; i >= at; i--) {
            to[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return at + digits;
    }

    private static int hex(byte[] to, int at, int digits, long bits) {
        for (int i = 0; i < digits; i++) {
            to[at + i] = HEX[(int) (bits >>> (digits - 1 - i) * 4) & 0xF];
        }
        return at + digits;
    }

    private static int randomHex(byte[] to, int at, int digits, SplittableRandom random) {
        int end = at + digits;
        int next = at;
        while (next < end) {
            next = hex(to, next, Math.min(16, end - next), random.nextLong());
        }
        return end;
    }

    /** Writes a random UUID, of version 4 and variant 2, and returns the offset behind it. */
    private static int uuid(byte[] to, int at, SplittableRandom random) {
        long high = random.nextLong() & ~0xF000L | 0x4000L;
        long low = random.nextLong() & ~(3L << 62) | 1L << 63;
        int end = hex(to, at, 8, high >>> 32);
        to[end] = '-';
        end = hex(to, end + 1, 4, high >>> 16);
        to[end] = '-';
        end = hex(to, end + 1, 4, high);
        to[end] = '-';
        end = hex(to, end + 1, 4, low >>> 48);
        to[end] = '-';
        return hex(to, end + 1, 12, low);
    }

    private static int copy(byte[] text, byte[] to, int at) {
        System.arraycopy(text, 0, to, at, text.length);
        return at + text.length;
    }
}
