package io.brokermeter.network;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A network namespace below a user namespace, for a whole process and all that it starts: there a user who is not root may make a link. From inside
 * only what is inside can be reached, so it is for runs that start their brokers themselves. The program {@code unshare} (util-linux 2.36 or newer)
 * makes it, since the kernel refuses a user namespace to a process of several threads, as a JVM is.
 */
public final class OwnNetwork {

    private static final String INSIDE = "brokermeter.network.inside";
    private static final List<String> UNSHARE = List.of("unshare", "--map-current-user", "--net", "--keep-caps", "sh", "-c");
    private static final String LOOPBACK_UP = "ip link set lo up && ";
    private static final long TRY_SECONDS = 10;

    private OwnNetwork() {}

    /** Whether this process is in one that {@link #enter} made. */
    public static boolean isInside() {
        return Boolean.getBoolean(INSIDE);
    }

    /**
     * Begins this program anew in a network of its own, with the same number of the process, arguments, environment and streams. Blocks for a fraction
     * of a second to try whether that can be; nothing may have been started yet, and what was read from standard input is lost.
     *
     * @return why that cannot be, as a part of a sentence; it does not return when it can
     */
    public static String enter() {
        if (isInside()) {
            return "this is one already";
        }
        try {
            if (!Files.isReadable(Path.of("/dev/net/tun")) || !Files.isWritable(Path.of("/dev/net/tun"))) {
                return "this user may not open /dev/net/tun";
            }
            String refusal = refusal();
            if (refusal != null) {
                return refusal;
            }
            List<String> command = new ArrayList<>(UNSHARE);
            command.addAll(List.of(LOOPBACK_UP + "exec \"$@\"", "sh", Path.of("/proc/self/exe").toRealPath().toString(),
                "-D" + INSIDE + "=true"));
            String[] own = Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.UTF_8).split("\0", -1);
            // After the last word there is a zero as well.
            command.addAll(Arrays.asList(own).subList(1, own.length - 1));
            System.out.flush();
            System.err.flush();
            Linux.become(command);
            throw new IllegalStateException("The process goes on though it became another.");
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static @Nullable String refusal() throws IOException {
        List<String> command = new ArrayList<>(UNSHARE);
        command.add(LOOPBACK_UP + "exit 0");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(TRY_SECONDS, TimeUnit.SECONDS)) {
                return "unshare does not answer within " + TRY_SECONDS + " s";
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip().replaceAll("\\s+", " ");
            return process.exitValue() == 0 ? null : said.isEmpty() ? "unshare fails" : said;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "it was interrupted";
        } finally {
            process.destroyForcibly();
        }
    }
}
