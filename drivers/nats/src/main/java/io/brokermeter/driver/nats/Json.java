package io.brokermeter.driver.nats;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A JSON document of a server, as the values in it by their paths of keys: {@code config.retention}. Values that are null are left out. */
final class Json {

    private static final int DEEPEST = 64;

    private final Map<String, String> values = new HashMap<>();
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** @throws IOException if the text is no JSON */
    static Json parse(String text) throws IOException {
        Json json = new Json(text);
        try {
            json.value("", 0);
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new IOException("the NATS server sent something that is no JSON", e);
        }
        return json;
    }

    /** Returns a text as JSON, in quotation marks. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> quoted.append(c == '"' || c == '\\' ? "\\" : "").append((char) c));
        return quoted.append('"').toString();
    }

    boolean has(String path) {
        return values.containsKey(path);
    }

    /** Returns the text at a path; empty if there is none. */
    String text(String path) {
        return values.getOrDefault(path, "");
    }

    boolean flag(String path) {
        return text(path).equals("true");
    }

    /** Returns the number at a path; 0 if there is none. */
    long number(String path) {
        return text(path).matches("-?\\d{1,18}") ? Long.parseLong(text(path)) : 0;
    }

    // ---- parsing

    private char peek() {
        while (text.charAt(at) <= ' ') {
            at++;
        }
        return text.charAt(at);
    }

    private void pass(char separator) {
        if (peek() == separator) {
            at++;
        }
    }

    private void value(String path, int depth) throws IOException {
        char first = peek();
        if (first == '"') {
            values.put(path, string());
        } else if (first != '{' && first != '[') {
            word(path);
        } else if (depth == DEEPEST) {
            throw new IOException("the NATS server sent JSON that is too deep");
        } else {
            at++;
            values.put(path, "");
            char end = first == '{' ? '}' : ']';
            for (int i = 0; peek() != end; i++) {
                String key = first == '{' ? string() : Integer.toString(i);
                pass(':');
                value(path.isEmpty() ? key : path + "." + key, depth + 1);
                pass(',');
            }
            at++;
        }
    }

    private void word(String path) throws IOException {
        int from = at;
        while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || "+-.".indexOf(text.charAt(at)) >= 0)) {
            at++;
        }
        if (at == from) {
            throw new IOException("the NATS server sent something that is no JSON");
        }
        if (!text.startsWith("null", from)) {
            values.put(path, text.substring(from, at));
        }
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char next = text.charAt(at);
            if (next == '\\') {
                next = switch (text.charAt(++at)) {
                    case 'n' -> '\n';
                    case 't' -> '\t';
                    case 'u' -> (char) Integer.parseInt(text.substring(at + 1, (at += 4) + 1), 16);
                    default -> text.charAt(at);
                };
            }
            string.append(next);
        }
        at++;
        return string.toString();
    }
}
