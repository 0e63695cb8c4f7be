package io.brokermeter.engine.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The arrival times of a recording, in nanoseconds after the first one, never decreasing. Immutable. */
public final class Arrivals {

    private static final Pattern ISO = Pattern.compile(
        "\\[?(\\d{4}-\\d{2}-\\d{2}[T ]\\d{2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?)\\s?(Z|[+-]\\d{2}:?\\d{2})?.*", Pattern.DOTALL);
    private static final Pattern ACCESS = Pattern.compile(
        ".*?\\[(\\d{2}/[A-Z][a-z]{2}/\\d{4}:\\d{2}:\\d{2}:\\d{2} [+-]\\d{4})].*", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("\\[?(\\d{1,19})(?:\\.(\\d{1,9}))?(?:[\\s,;|\\]].*|)", Pattern.DOTALL);
    private static final DateTimeFormatter LOCAL = new DateTimeFormatterBuilder().appendPattern("yyyy-MM-dd'T'HH:mm:ss")
        .optionalStart().appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true).optionalEnd().toFormatter(Locale.ROOT);
    /** The byte order mark of UTF-8, read as ISO 8859-1. */
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";
    private static final DateTimeFormatter ACCESS_LOG = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);

    private final long[] nanos;

    private Arrivals(long[] nanos) {
        this.nanos = nanos;
    }

    /**
     * Reads the time stamps of a file: at the beginning of each line in ISO 8601 format with a {@code T} or a blank, with or
     * without a zone; that of an access log in brackets; or a number, which is, depending on its length, seconds since any
     * moment, or milli-, micro- or nanoseconds since 1970. A comma ends a number, as in a file of columns. Blank lines are left out,
     * as is a byte order mark. What follows a time stamp may be in any encoding that extends ASCII.
     *
     * @throws UsageException with one sentence that names file and line, if the file cannot be read or is empty, a line has no
     *     time stamp, or the time goes back
     */
    public static Arrivals read(Path file) {
        long[] found = new long[1024];
        int count = 0;
        long first = 0;
        long last = Long.MIN_VALUE;
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new UsageException("Trace " + file + " is not a plain file.");
        }
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            String line;
            for (int number = 1; (line = lines.readLine()) != null; number++) {
                if (number == 1 && line.startsWith(BYTE_ORDER_MARK)) {
                    line = line.substring(BYTE_ORDER_MARK.length());
                }
                if (line.indexOf('\0') >= 0) {
                    throw new UsageException("Trace " + file + " is no text in UTF-8, but perhaps one in UTF-16: line " + number
                        + " has a zero byte.");
                }
                if (line.isBlank()) {
                    continue;
                }
                long at = moment(line.strip(), file, number);
                if (count == 0) {
                    first = at;
                } else if (at < last) {
                    throw new UsageException("Trace " + file + " goes back in time in line " + number + ".");
                }
                last = at;
                if (count == found.length) {
                    found = Arrays.copyOf(found, count * 2);
                }
                found[count++] = at - first;
            }
        } catch (NoSuchFileException e) {
            throw new UsageException("Trace " + file + " does not exist.");
        } catch (IOException e) {
            throw new UsageException("Trace " + file + " cannot be read: " + e.getMessage() + ".");
        }
        if (count == 0) {
            throw new UsageException("Trace " + file + " is empty.");
        }
        return new Arrivals(Arrays.copyOf(found, count));
    }

    private static long moment(String line, Path file, int number) {
        try {
            Matcher iso = ISO.matcher(line);
            if (iso.matches()) {
                LocalDateTime local = LocalDateTime.parse(iso.group(1).replace(' ', 'T').replace(',', '.'), LOCAL);
                String zone = iso.group(2);
                return nanos(local.toInstant(zone == null ? ZoneOffset.UTC : ZoneOffset.of(zone)));
            }
            Matcher access = ACCESS.matcher(line);
            if (access.matches()) {
                return nanos(OffsetDateTime.parse(access.group(1), ACCESS_LOG).toInstant());
            }
            Matcher plain = NUMBER.matcher(line);
            if (plain.matches()) {
                return nanos(plain.group(1), plain.group(2) == null ? "" : plain.group(2));
            }
        } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
            // the exception below covers it
        }
        throw new UsageException("Trace " + file + " has no time stamp at the beginning of line " + number
            + "; one looks like 2026-01-31T12:00:00.123 or is a number of seconds.");
    }

    private static long nanos(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    }

    /** Returns nanoseconds. Epoch numbers of 13, 16 and 19 digits are in milli-, micro- and nanoseconds; shorter ones are seconds. */
    private static long nanos(String whole, String fraction) {
        long unit = whole.length() >= 18 ? 1 : whole.length() >= 15 ? 1_000 : whole.length() >= 12 ? 1_000_000 : 1_000_000_000L;
        long value = Math.multiplyExact(Long.parseLong(whole), unit);
        if (!fraction.isEmpty()) {
            value = Math.addExact(value, Long.parseLong((fraction + "000000000").substring(0, 9)) / (1_000_000_000L / unit));
        }
        return value;
    }

    /** Returns the number of arrivals, at least 1. */
    public int count() {
        return nanos.length;
    }

    /** Returns the time of arrival {@code index} after the first one, in nanoseconds. */
    public long at(int index) {
        return nanos[index];
    }
}
