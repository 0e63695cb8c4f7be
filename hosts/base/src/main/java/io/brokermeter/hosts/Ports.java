package io.brokermeter.hosts;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ports on which one process of a broker listens.
 *
 * @param main the main port
 * @param others further ports by the name of their protocol, for example {@code STOMP}
 */
public record Ports(int main, Map<String, Integer> others) {

    public Ports {
        others = Map.copyOf(others);
    }

    public static Ports of(int main) {
        return new Ports(main, Map.of());
    }

    /** Parses the form of {@link #toString}. */
    public static Ports parse(String text) {
        String[] words = text.strip().split(" +");
        Map<String, Integer> others = new LinkedHashMap<>();
        for (int i = 1; i < words.length; i++) {
            String[] pair = words[i].split("=");
            others.put(pair[0], Integer.valueOf(pair[1]));
        }
        return new Ports(Integer.parseInt(words[0]), others);
    }

    /** Returns the port of that name, or the main port if there is none. */
    public int port(String name) {
        return others.getOrDefault(name, main);
    }

    /** Returns the ports in the form {@code <port> [<name>=<port> ...]}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder().append(main);
        others.forEach((name, port) -> text.append(' ').append(name).append('=').append(port));
        return text.toString();
    }
}
