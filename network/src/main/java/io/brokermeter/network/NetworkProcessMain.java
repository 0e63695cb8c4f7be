package io.brokermeter.network;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/** The program of a {@link NetworkProcess}: reads one command per line, writes one answer per line, and ends with its input. */
final class NetworkProcessMain {

    private final List<NetworkPath> lines = new ArrayList<>();

    private @Nullable NamespaceLink link;

    private NetworkProcessMain() {}

    public static void main(String[] arguments) throws IOException {
        // The terminal sends Ctrl-C to all processes in the foreground, but the parent decides when this one ends.
        Linux.leaveTheTerminal();
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        NetworkProcessMain main = new NetworkProcessMain();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.print(main.answer(line.split("\t", -1)) + "\n");
            out.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    /** Ends this process when a link is broken in one direction: its parent notices that, whereas traffic would only stop otherwise. */
    private static void end(String sentence) {
        System.err.println("brokermeter: " + sentence);
        System.err.flush();
        Runtime.getRuntime().halt(1);
    }

    private String answer(String[] words) {
        try {
            return "ok" + done(words);
        } catch (IOException | RuntimeException e) {
            String message = e.getMessage();
            return "error\t" + (message == null ? e.getClass().getSimpleName() : message.replaceAll("\\s+", " "));
        }
    }

    private String done(String[] words) throws IOException {
        switch (words[0]) {
            case "ready" -> {
                return "\t" + Linux.tellsWindows();
            }
            case "proxy" -> {
                Proxy proxy = Proxy.open(words[1], Integer.parseInt(words[2]), NetworkRule.parse(words[3]),
                    new InetSocketAddress(words[4], Integer.parseInt(words[5])));
                lines.add(proxy);
                return "\t" + (lines.size() - 1) + "\t" + proxy.port();
            }
            case "link" -> {
                List<NamespaceLink.Alias> aliases = new ArrayList<>();
                for (int i = 2; i + 1 < words.length; i += 2) {
                    aliases.add(new NamespaceLink.Alias(NetworkRule.parse(words[i]), NamespaceLink.address(words[i + 1])));
                }
                NamespaceLink made = new NamespaceLink(NetworkRule.parse(words[1]), aliases, NetworkProcessMain::end);
                link = made;
                return "\t" + made.namespace() + made.names().stream().map(name -> "\t" + name).collect(Collectors.joining());
            }
            case "packets" -> {
                long[] counts = link == null ? new long[3] : link.counts();
                return "\t" + counts[0] + "\t" + counts[1] + "\t" + counts[2];
            }
            default -> {
                return change(lines.get(Integer.parseInt(words[1])), words);
            }
        }
    }

    private static String change(NetworkPath path, String[] words) {
        switch (words[0]) {
            case "rule" -> path.rule(NetworkRule.parse(words[2]));
            case "cut" -> path.cut();
            case "reset" -> path.reset();
            case "blackHole" -> path.blackHole(Boolean.parseBoolean(words[2]));
            case "heal" -> path.heal();
            case "close" -> path.close();
            case "connections" -> {
                return "\t" + path.connections();
            }
            default -> throw new IllegalArgumentException("There is no command " + words[0] + ".");
        }
        return "";
    }
}
