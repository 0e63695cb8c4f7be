package io.brokermeter.cluster;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A member in a separate process: {@code agent NAME PORT KEY} or {@code coordinator NAME - KEY AGENT...}. Prints its events, one per line,
 * and ends with its input.
 */
final class MemberMain {

    private MemberMain() {}

    public static void main(String[] arguments) throws Exception {
        String name = arguments[1];
        Credential key = Credential.read(Path.of(arguments[3]));
        List<String> agents = Arrays.asList(arguments).subList(4, arguments.length);
        ClusterSettings settings = arguments[0].equals("agent")
            ? ClusterSettings.agent(name, Map.of(), "1.0", null, Integer.parseInt(arguments[2]), key)
            : ClusterSettings.coordinator(name, "1.0", agents, false, key);
        try (Cluster cluster = Cluster.open(settings, new Lines())) {
            say("ready " + cluster.address().getPort());
            while (System.in.read() >= 0) {
                // runs until its input ends
            }
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static final class Lines implements ClusterListener {

        @Override
        public void joined(Member member) {
            say("joined " + member.name());
        }

        @Override
        public void left(Member member, Departure why) {
            say("left " + member.name() + " " + why);
        }

        @Override
        public void message(Member from, String json) {
            say("from " + from.name() + " " + json);
        }

        @Override
        public void refused(PeerRefusal refusal) {
            say("refused " + refusal.reason());
        }
    }
}
