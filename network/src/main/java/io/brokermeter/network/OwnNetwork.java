package io.brokermeter.network;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A network namespace below a user namespace, for a whole process and all that it starts: there a user who is not root may make a link. From inside
 * only what is inside can be reached, so it is for runs that start their brokers themselves. The program {@code unshare} (util-linux 2.36 or newer)
 * makes it, since the kernel refuses a user namespace to a process of several threads, as a JVM is.
 */
public final class OwnNetwork {

    private static final String INSIDE = "brokermeter.network.inside";
    private static final List<String> UNSHARE = List.of("unshare", "--map-current-user", "--net", "--keep-caps", "sh", "-c");

    private static volatile String refused = "";

    private OwnNetwork() {}

    /**
     * Begins this program anew in a network of its own, with the same number of the process, arguments, environment and streams, and returns only when
     * that cannot be; {@link Namespace#missing} says why from then on. Blocks for a fraction of a second to try it, once; nothing may have been started yet,
     * and what was read from standard input is lost.
     */
    public static void enter() {
        if (Boolean.getBoolean(INSIDE) || !refused.isEmpty()) {
            return;
        }
        try {
            refused = attempt();
        } catch (IOException e) {
            refused = String.valueOf(e.getMessage());
        }
    }

    /** Why {@link #enter} came back, as a part of a sentence; empty where nobody tried. */
    static String refused() {
        return refused;
    }

    private static String attempt() throws IOException {
        if (!Files.isReadable(Linux.TUN) || !Files.isWritable(Linux.TUN)) {
            return "this user may not open " + Linux.TUN;
        }
        String refusal = Program.refusal(inside("exit 0"));
        if (refusal != null) {
            return refusal;
        }
        List<String> command = inside("exec \"$@\"");
        command.addAll(List.of("sh", Path.of("/proc/self/exe").toRealPath().toString(), "-D" + INSIDE + "=true"));
        String[] own = Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8).split("\0", -1);
        // After the last word there is a zero as well.
        command.addAll(Arrays.asList(own).subList(1, own.length - 1));
        System.out.flush();
        System.err.flush();
        Linux.become(command);
        throw new IllegalStateException("The process goes on though it became another.");
    }

    /** A command of the shell that runs in a network of its own. */
    private static List<String> inside(String then) {
        List<String> command = new ArrayList<>(UNSHARE);
        command.add("ip link set lo up && " + then);
        return command;
    }
}
