package io.brokermeter.driver.amqp091.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Encodes and decodes the protocol's data types: strings and field tables, with the type letters that RabbitMQ uses. */
final class Fields {

    private static final int LONGEST_SHORT = 255;
    private static final int DEEPEST = 16;

    private Fields() {}

    /** @throws IllegalArgumentException with one sentence for the user, if the text is longer than 255 bytes */
    static void shortText(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LONGEST_SHORT) {
            throw new IllegalArgumentException(
                "AMQP 0-9-1 allows names of 255 bytes; '" + text.substring(0, 40) + "...' has " + bytes.length + ".");
        }
        out.put((byte) bytes.length).put(bytes);
    }

    static String shortText(ByteBuffer in) {
        byte[] bytes = new byte[in.get() & 0xff];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static void longText(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.putInt(bytes.length).put(bytes);
    }

    static String longText(ByteBuffer in) throws IOException {
        int length = length(in, "a text");
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static int length(ByteBuffer in, String what) throws IOException {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IOException("the broker sent " + what + " that is longer than its frame");
        }
        return length;
    }

    /** Writes a table of strings, booleans, integers, byte arrays and nested tables. */
    static void table(ByteBuffer out, Map<String, ?> table) {
        int start = out.position();
        out.putInt(0);
        table.forEach((name, value) -> {
            shortText(out, name);
            value(out, value);
        });
        out.putInt(start, out.position() - start - Integer.BYTES);
    }

    private static void value(ByteBuffer out, Object value) {
        switch (value) {
            case Boolean flag -> out.put((byte) 't').put((byte) (flag ? 1 : 0));
            case byte[] bytes -> out.put((byte) 'x').putInt(bytes.length).put(bytes);
            case Integer number -> out.put((byte) 'I').putInt(number);
            case Long number -> out.put((byte) 'l').putLong(number);
            case Map<?, ?> map -> {
                Map<String, Object> fields = new LinkedHashMap<>();
                map.forEach((name, each) -> fields.put(String.valueOf(name), each));
                out.put((byte) 'F');
                table(out, fields);
            }
            default -> {
                out.put((byte) 'S');
                longText(out, value.toString());
            }
        }
    }

    /** Reads a table; a value of a type that is not needed here becomes an empty text. */
    static Map<String, Object> table(ByteBuffer in) throws IOException {
        return table(in, DEEPEST);
    }

    private static Map<String, Object> table(ByteBuffer in, int depth) throws IOException {
        if (depth == 0) {
            throw new IOException("the broker sent tables in tables, more than " + DEEPEST + " deep");
        }
        int end = length(in, "a table") + in.position();
        Map<String, Object> table = new LinkedHashMap<>();
        while (in.position() < end) {
            String name = shortText(in);
            table.put(name, value(in, depth));
        }
        return table;
    }

    /**
     * Finds a field whose value is bytes or a text, and skips the length of its value.
     *
     * @param name name of the field
     * @return length of the value, with the position at its first byte; -1 if the table has no such field, with the position behind it
     */
    static int find(ByteBuffer in, byte[] name) throws IOException {
        int end = length(in, "a table") + in.position();
        while (in.position() < end) {
            int size = in.get() & 0xff;
            boolean equal = size == name.length;
            for (int i = 0; equal && i < size; i++) {
                equal = in.get(in.position() + i) == name[i];
            }
            in.position(in.position() + size);
            char type = (char) in.get();
            if (equal && (type == 'x' || type == 'S')) {
                return in.getInt();
            }
            skip(in, type);
        }
        return -1;
    }

    private static void skip(ByteBuffer in, char type) throws IOException {
        int size = switch (type) {
            case 'V' -> 0;
            case 't', 'b', 'B' -> 1;
            case 's', 'u', 'U' -> 2;
            case 'I', 'i', 'f' -> 4;
            case 'D' -> 5;
            case 'l', 'L', 'T', 'd' -> 8;
            case 'S', 'x', 'F', 'A' -> in.getInt();
            default -> throw new IOException("the broker sent a field of the unknown type '" + type + "'");
        };
        if (size < 0 || size > in.remaining()) {
            throw new IOException("the broker sent a field that is longer than its frame");
        }
        in.position(in.position() + size);
    }

    private static Object value(ByteBuffer in, int depth) throws IOException {
        char type = (char) in.get();
        return switch (type) {
            case 't' -> in.get() != 0;
            case 'b', 'B' -> (long) in.get();
            case 's', 'u', 'U' -> (long) in.getShort();
            case 'I', 'i' -> (long) in.getInt();
            case 'l', 'L', 'T' -> in.getLong();
            case 'f' -> (double) in.getFloat();
            case 'd' -> in.getDouble();
            case 'S', 'x' -> longText(in);
            case 'F' -> table(in, depth - 1);
            case 'A' -> array(in, depth - 1);
            case 'D' -> {
                in.get();
                in.getInt();
                yield "";
            }
            case 'V' -> "";
            default -> throw new IOException("the broker sent a field of the unknown type '" + type + "'");
        };
    }

    private static List<Object> array(ByteBuffer in, int depth) throws IOException {
        if (depth == 0) {
            throw new IOException("the broker sent arrays in arrays, more than " + DEEPEST + " deep");
        }
        int end = length(in, "an array") + in.position();
        List<Object> array = new ArrayList<>();
        while (in.position() < end) {
            array.add(value(in, depth));
        }
        return array;
    }
}
