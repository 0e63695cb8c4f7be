package io.brokermeter.engine.envelope;

import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.UsageException;

/**
 * A text with placeholders in double braces, cut into parts once and written into an array for each message. The longest
 * text that can come is known beforehand. Immutable; a text of any kind may be JSON.
 */
final class Template {

    /** The most letters or digits of one placeholder. */
    private static final long MOST_LETTERS = 1 << 20;
    /** The longest text that may come of a template, in bytes. */
    private static final int MOST = 16 << 20;
    /** Numbers are below this in size, so that ranges of them fit. */
    private static final long MOST_NUMBER = 1_000_000_000_000_000_000L;
    private static final int DIGITS = 20;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String KNOWN = "counter, int, float, text, hex, uuid, time, millis, choice and producer";

    private final List<Part> parts;
    private final int longest;

    private Template(List<Part> parts, int longest) {
        this.parts = List.copyOf(parts);
        this.longest = longest;
    }

    /** A part of the text: it writes itself and answers where it ended. */
    @FunctionalInterface
    private interface Writing {
        int write(byte[] to, int at, Moment now);
    }

    private record Part(Writing writing, int longest) {}

    /**
     * Reads a template.
     *
     * @throws UsageException with one sentence that names the template, the line and the column
     */
    static Template of(Content.Template template) {
        return new Reader(template.text(), template.origin()).read();
    }

    /** Bytes of the longest text that can come. */
    int longest() {
        return longest;
    }

    /** Writes the texts of one producer. */
    BodyMaker maker(BodyLaw.Place place) {
        return maker(place, EpochClock::nanos);
    }

    BodyMaker maker(BodyLaw.Place place, LongSupplier clock) {
        Writing[] all = parts.stream().map(Part::writing).toArray(Writing[]::new);
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

    /** What placeholders of one producer's message are made from. */
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

        /** Milliseconds since 1970, the same all over one message. */
        long millis() {
            if (millis < 0) {
                millis = clock.getAsLong() / 1_000_000;
            }
            return millis;
        }

        /** Writes the time in UTC as ISO 8601 has it, with milliseconds. The date is worked out once a day. */
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

    /** Writes a whole number. */
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

    /** Writes a number that is not negative with exactly so many digits. */
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

    /** A random UUID: version 4, variant 2. */
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

    /** Cuts a text into parts. */
    private static final class Reader {

        private final String text;
        private final String origin;
        private final List<Part> parts = new ArrayList<>();
        private long longest;
        /** Where the placeholder begins that is being read. */
        private int position;

        Reader(String text, String origin) {
            this.text = text;
            this.origin = origin;
        }

        Template read() {
            int from = 0;
            int open;
            while ((open = text.indexOf("{{", from)) >= 0) {
                while (text.startsWith("{{{", open)) {
                    // An object of JSON may open directly before a placeholder.
                    open++;
                }
                literal(text.substring(from, open));
                position = open;
                int close = text.indexOf("}}", open);
                int line = text.indexOf('\n', open);
                if (close < 0 || line >= 0 && line < close) {
                    throw wrong("{{ is not closed by }} in its line");
                }
                placeholder(text.substring(open + 2, close));
                from = close + 2;
            }
            literal(text.substring(from));
            if (longest > MOST) {
                throw new UsageException("Template " + origin + " makes texts of up to " + longest
                        + " bytes, which are more than 16 MiB.");
            }
            return new Template(parts, (int) longest);
        }

        private void literal(String part) {
            if (!part.isEmpty()) {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                add(bytes.length, (to, at, now) -> copy(bytes, to, at));
            }
        }

        private void add(long most, Writing writing) {
            longest += most;
            parts.add(new Part(writing, (int) most));
        }

        private void placeholder(String inside) {
            int colon = inside.indexOf(':');
            String name = (colon < 0 ? inside : inside.substring(0, colon)).strip();
            String argument = colon < 0 ? "" : inside.substring(colon + 1);
            switch (name) {
                case "counter" -> counter(argument);
                case "int" -> whole(argument);
                case "float" -> decimal(argument);
                case "text" -> {
                    int letters = letters(argument, "text:16");
                    add(letters, (to, at, now) -> {
                        for (int i = at; i < at + letters; i++) {
                            to[i] = (byte) ('a' + now.random.nextInt(26));
                        }
                        return at + letters;
                    });
                }
                case "hex" -> {
                    int digits = letters(argument, "hex:8");
                    add(digits, (to, at, now) -> randomHex(to, at, digits, now.random));
                }
                case "uuid" -> {
                    none(name, argument);
                    add(36, (to, at, now) -> uuid(to, at, now.random));
                }
                case "time" -> {
                    none(name, argument);
                    add(24, (to, at, now) -> now.time(to, at));
                }
                case "millis" -> {
                    none(name, argument);
                    add(DIGITS, (to, at, now) -> number(to, at, now.millis()));
                }
                case "producer" -> {
                    none(name, argument);
                    add(DIGITS, (to, at, now) -> number(to, at, now.place.producer()));
                }
                case "choice" -> choice(argument);
                default -> throw wrong("{{" + inside + "}} is not known; there are " + KNOWN);
            }
        }

        /** {@code counter}, {@code counter:START} or {@code counter:START,STEP}. */
        private void counter(String argument) {
            long start = 0;
            long step = 1;
            if (!argument.isBlank()) {
                String[] numbers = argument.split(",", -1);
                if (numbers.length > 2) {
                    throw wrong("{{counter:" + argument + "}} must be like {{counter:10}} or {{counter:10,2}}");
                }
                start = wholeNumber(numbers[0]);
                step = numbers.length == 2 ? wholeNumber(numbers[1]) : 1;
            }
            long first = start;
            long next = step;
            add(DIGITS, (to, at, now) -> number(to, at, first + next * now.number));
        }

        private void whole(String argument) {
            String[] bounds = range(argument, "int:1..100");
            long least = wholeNumber(bounds[0]);
            long most = wholeNumber(bounds[1]);
            inOrder(least <= most, "int", argument);
            add(DIGITS, (to, at, now) -> number(to, at, now.random.nextLong(least, most + 1)));
        }

        /** {@code float:A..B}, with as many decimals as the bounds have and two at least, or {@code float:A..B,DECIMALS}. */
        private void decimal(String argument) {
            int comma = argument.indexOf(',');
            String[] bounds = range(comma < 0 ? argument : argument.substring(0, comma), "float:0..9.99");
            int decimals = Math.max(2, Math.max(decimals(bounds[0]), decimals(bounds[1])));
            if (comma >= 0) {
                long asked = wholeNumber(argument.substring(comma + 1));
                if (asked < 1 || asked > 9 || asked < decimals(bounds[0]) || asked < decimals(bounds[1])) {
                    throw wrong("{{float:" + argument + "}} must have from 1 to 9 decimals, and no fewer than its bounds");
                }
                decimals = (int) asked;
            }
            long least = scaled(bounds[0], decimals);
            long most = scaled(bounds[1], decimals);
            inOrder(least <= most, "float", argument);
            long unit = scaled("1", decimals);
            int after = decimals;
            add(DIGITS + 2, (to, at, now) -> {
                long value = now.random.nextLong(least, most + 1);
                int begin = at;
                if (value < 0) {
                    to[begin++] = '-';
                    value = -value;
                }
                int end = number(to, begin, value / unit);
                to[end] = '.';
                return padded(to, end + 1, value % unit, after);
            });
        }

        private void choice(String argument) {
            byte[][] choices = java.util.Arrays.stream(argument.split("\\|", -1))
                    .map(each -> each.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
            if (argument.isEmpty()) {
                throw wrong("{{choice}} needs something to choose from, like {{choice:red|green|blue}}");
            }
            int most = 0;
            for (byte[] each : choices) {
                most = Math.max(most, each.length);
            }
            add(most, (to, at, now) -> copy(choices[now.random.nextInt(choices.length)], to, at));
        }

        private void none(String name, String argument) {
            if (!argument.isBlank()) {
                throw wrong("{{" + name + "}} takes nothing after a colon, not '" + argument + "'");
            }
        }

        private void inOrder(boolean ordered, String name, String argument) {
            if (!ordered) {
                throw wrong("the range of {{" + name + ":" + argument + "}} goes backwards");
            }
        }

        private int letters(String argument, String example) {
            long count = argument.isBlank() ? 0 : wholeNumber(argument);
            if (count < 1 || count > MOST_LETTERS) {
                throw wrong("{{" + example.substring(0, example.indexOf(':')) + "}} needs a number from 1 to 1048576, like {{"
                        + example + "}}");
            }
            return (int) count;
        }

        private String[] range(String argument, String example) {
            int dots = argument.indexOf("..");
            if (dots < 0) {
                throw wrong("{{" + example.substring(0, example.indexOf(':')) + "}} needs a range, like {{" + example + "}}");
            }
            return new String[] {argument.substring(0, dots).strip(), argument.substring(dots + 2).strip()};
        }

        private long wholeNumber(String number) {
            return scaled(number.strip(), 0);
        }

        private static int decimals(String number) {
            int point = number.indexOf('.');
            return point < 0 ? 0 : number.length() - point - 1;
        }

        /** A number times 10 to the power of {@code decimals}. */
        private long scaled(String number, int decimals) {
            try {
                long value = new java.math.BigDecimal(number).movePointRight(decimals).longValueExact();
                if (Math.abs(value) < MOST_NUMBER) {
                    return value;
                }
            } catch (ArithmeticException | NumberFormatException e) {
                // the sentence below covers it
            }
            throw wrong("'" + number + "' is not a " + (decimals == 0 ? "whole " : "") + "number that fits");
        }

        private UsageException wrong(String what) {
            int line = 1;
            int column = 1;
            for (int i = 0; i < position; i++) {
                if (text.charAt(i) == '\n') {
                    line++;
                    column = 1;
                } else {
                    column++;
                }
            }
            return new UsageException("In template " + origin + ", line " + line + ", column " + column + ": " + what + ".");
        }
    }
}
