package io.brokermeter.network;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/** Runs programs of the system that set something up and end. */
final class Program {

    /** The longest wait for the end of a program, in seconds; a busy machine may need half a minute to start and run one. */
    private static final long SECONDS = 60;

    private Program() {}

    /**
     * Runs a program, and waits for its end. Its output must be short.
     *
     * @return output of a program that failed, in one line, or a remark that it failed; null when it succeeded
     * @throws IOException when the program does not exist, or this thread was interrupted
     */
    static @Nullable String refusal(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                return "no answer within " + SECONDS + " s";
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip().replaceAll("\\s+", " ");
            return process.exitValue() == 0 ? null : said.isEmpty() ? "it failed" : said;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("It was interrupted.", e);
        } finally {
            process.destroyForcibly();
        }
    }
}
