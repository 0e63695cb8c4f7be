package io.brokermeter.brokers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** Sends signals for which Java has no method, by the command {@code kill}. */
final class Signals {

    private Signals() { }

    /** @throws UncheckedIOException when there is no such command or it refuses */
    static void send(long pid, String signal) {
        sendTo(Long.toString(pid), signal);
    }

    /**
     * Sends it to all processes of a process group.
     *
     * @throws UncheckedIOException when there is no such command or it refuses
     */
    static void sendToGroup(long group, String signal) {
        sendTo("-" + group, signal);
    }

    private static void sendTo(String target, String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, "--", target)
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            if (!kill.waitFor(5, TimeUnit.SECONDS) || kill.exitValue() != 0) {
                kill.destroyForcibly();
                throw new IOException("Signal " + signal + " does not reach process " + target + ".");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
