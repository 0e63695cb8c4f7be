package io.brokermeter.network;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A network namespace within a user namespace, for a whole process and all processes that it starts: in it a user other than root may
 * create a link. From inside only servers inside can be reached, so it is for runs that start their brokers themselves. The program
 * {@code unshare} (util-linux 2.36 or newer) creates it, since the kernel refuses a user namespace to a process with several threads,
 * such as a JVM.
 */
public final class OwnNetwork {

    private static final String INSIDE = "brokermeter.network.inside";
    private static final List<String> UNSHARE = List.of("unshare", "--map-current-user", "--net", "--keep-caps", "sh", "-c");

    private static volatile String refused = "";

    private OwnNetwork() {}

    /**
     * Restarts this program in a network of its own, with the same process id, arguments, environment and streams. Returns only when the
     * program was restarted already, or when this fails; {@link Namespace#missing} says why from then on. Blocks for a fraction of a second
     * to try it, once. Nothing may have been started before, and what was read from standard input is lost.
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

    /** Returns why {@link #enter} failed, as a part of a sentence; empty where it was not called. */
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
        // The last argument ends with a zero, too, so the last part is empty.
        command.addAll(Arrays.asList(own).subList(1, own.length - 1));
        System.out.flush();
        System.err.flush();
        Linux.become(command);
        throw new IllegalStateException("The process goes on though it became another.");
    }

    /** Returns the command that runs a command of the shell in a network of its own. */
    private static List<String> inside(String then) {
        List<String> command = new ArrayList<>(UNSHARE);
        command.add("ip link set lo up && " + then);
        return command;
    }
}
