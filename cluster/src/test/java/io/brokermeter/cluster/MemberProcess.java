package io.brokermeter.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of {@link MemberMain}, as a test controls it. */
final class MemberProcess implements AutoCloseable {

    private static final long PATIENCE_MILLIS = 120_000;

    final Process process;
    final long startedAt = System.nanoTime();
    private final List<String> lines = new ArrayList<>();

    /**
     * Starts the process.
     *
     * @param before a command that executes its remaining arguments, for example in a namespace; empty for none
     */
    MemberProcess(List<String> before, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp", System.getProperty("java.class.path"),
            MemberMain.class.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread.ofVirtual().start(this::read);
    }

    private void read() {
        try (BufferedReader in = process.inputReader()) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                synchronized (this) {
                    lines.add(line);
                    notifyAll();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits for a line.
     *
     * @return milliseconds since this process was started
     */
    long await(String start) throws InterruptedException {
        line(start);
        return (System.nanoTime() - startedAt) / 1_000_000;
    }

    String line(String start) throws InterruptedException {
        return line(start, 1);
    }

    /**
     * Waits for a line and returns it.
     *
     * @param times number of the line among those with this beginning, from 1
     */
    synchronized String line(String start, int times) throws InterruptedException {
        long until = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (true) {
            List<String> found = lines.stream().filter(line -> line.startsWith(start)).toList();
            if (found.size() >= times) {
                return found.get(times - 1);
            }
            long left = (until - System.nanoTime()) / 1_000_000;
            assertThat(left).as("time to wait for '%s'; heard: %s", start, lines).isPositive();
            wait(left);
        }
    }

    int port() throws InterruptedException {
        return Integer.parseInt(line("ready ").substring("ready ".length()));
    }

    void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).inheritIO().start().waitFor()).isZero();
    }

    /** Returns the user and system time so far, in seconds; Linux only. */
    double cpuSeconds() throws IOException {
        String[] stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat")).split("\\) ", 2)[1].split(" ");
        return (Long.parseLong(stat[11]) + Long.parseLong(stat[12])) / 100.0;
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
