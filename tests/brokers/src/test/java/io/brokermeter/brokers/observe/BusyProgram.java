package io.brokermeter.brokers.observe;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import com.sun.management.OperatingSystemMXBean;

/**
 * A process that uses resources on command. It listens on a port, which the system property {@code port} can select, and prints the port
 * as its first line. It executes each line of its input and then prints its CPU time in nanoseconds. It ends with its input.
 */
final class BusyProgram implements AutoCloseable {

    private final Process process;
    private final BufferedReader answers;
    private final int port;

    private BusyProgram(Process process) throws IOException {
        this.process = process;
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.port = Integer.parseInt(answers.readLine());
    }

    static BusyProgram start(String... jvmOptions) throws IOException {
        List<String> command = new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:+UseSerialGC"));
        command.addAll(List.of(jvmOptions));
        command.addAll(List.of("-cp", Path.of("target", "test-classes").toAbsolutePath().toString(), BusyProgram.class.getName()));
        return new BusyProgram(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    long pid() {
        return process.pid();
    }

    int port() {
        return port;
    }

    Process process() {
        return process;
    }

    /** Executes a command, and returns the answer when the command is done. */
    String tell(String command) {
        try {
            process.outputWriter(StandardCharsets.UTF_8).append(command).append('\n').flush();
            return answers.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the socket on which the JVM listens after the first attachment. */
    Path socket() {
        return Path.of("/tmp", ".java_pid" + pid());
    }

    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
        try {
            Files.deleteIfExists(socket());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs the program in the child process. */
    public static void main(String... none) throws Exception {
        OperatingSystemMXBean self = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        List<Object> kept = new ArrayList<>();
        List<Process> children = new ArrayList<>();
        ServerSocket socket = new ServerSocket(Integer.getInteger("port", 0), 1, InetAddress.getLoopbackAddress());
        System.out.println(socket.getLocalPort());
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line;
        while ((line = input.readLine()) != null) {
            String[] words = line.split(" ");
            long amount = words.length > 1 ? Long.parseLong(words[1]) : 0;
            switch (words[0]) {
                case "burn" -> {
                    long end = self.getProcessCpuTime() + amount * 1_000_000;
                    long steps = 0;
                    while (self.getProcessCpuTime() < end) {
                        steps++;
                    }
                    kept.add(steps);
                }
                case "collect" -> {
                    for (int i = 0; i < amount; i++) {
                        System.gc();
                    }
                }
                case "sleep" -> {
                    for (int i = 0; i < amount; i++) {
                        Thread.sleep(1);
                    }
                }
                case "write" -> {
                    Path file = Path.of(words[2]);
                    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.allocate((int) amount));
                        channel.force(true);
                    }
                    Files.delete(file);
                }
                case "open" -> {
                    for (int i = 0; i < amount; i++) {
                        kept.add(new FileInputStream("/dev/null"));
                    }
                }
                case "listen" -> kept.add(new ServerSocket((int) amount, 1, InetAddress.getLoopbackAddress()));
                case "threads" -> {
                    for (int i = 0; i < amount; i++) {
                        Thread.ofPlatform().daemon().start(() -> {
                            try {
                                Thread.sleep(1_000_000);
                            } catch (InterruptedException e) {
                                // the process ends
                            }
                        });
                    }
                }
                case "child" -> kept.add(new ProcessBuilder("sh", "-c",
                    "i=0; while [ $i -lt " + amount + " ]; do i=$((i+1)); done; read x").start());
                case "child-writes" -> {
                    // The child has waited for the process that writes, and keeps running.
                    Process child =
                        new ProcessBuilder("sh", "-c", "head -c " + amount + " /dev/zero >" + words[2] + "; sync " + words[2] + "; rm "
                            + words[2] + "; echo; read x").start();
                    child.getInputStream().read();
                    children.add(child);
                }
                case "end-children" -> {
                    for (Process child : children) {
                        child.getOutputStream().close();
                        child.waitFor();
                    }
                }
                case "run" -> new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt " + amount + " ]; do i=$((i+1)); done").start().waitFor();
                default -> throw new IllegalArgumentException(line);
            }
            System.out.println(self.getProcessCpuTime());
        }
    }
}
