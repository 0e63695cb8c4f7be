package io.brokermeter.brokers;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where one process listens.
 *
 * @param main   its main port
 * @param others further ports by the name of what they speak
 */
record Ports(int main, Map<String, Integer> others) {

    /** Reads {@code <port> [<name>=<port> ...]}. */
    static Ports parse(String text) {
        String[] words = text.strip().split(" +");
        Map<String, Integer> others = new LinkedHashMap<>();
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            others.put(words[i].substring(0, equals), Integer.valueOf(words[i].substring(equals + 1)));
        }
        return new Ports(Integer.parseInt(words[0]), Map.copyOf(others));
    }

    /** The port of that name, or the main one when there is no such port. */
    int of(String name) {
        return others.getOrDefault(name, main);
    }
}
