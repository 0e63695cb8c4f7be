package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Executes command lines that must be refused, one after the other in a single process of the program, since most of the cost of a refusal
 * is the start of a JVM. Used as a static field with {@code @RegisterExtension}; all command lines of a class share a directory.
 */
final class Refusals implements BeforeAllCallback, AfterAllCallback {

    private final Map<String, String> environment = new TreeMap<>();

    private @Nullable Path directory;
    private @Nullable Process process;
    private @Nullable DataOutputStream words;
    private @Nullable DataInputStream answers;

    Refusals with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Runs in the process: reads command lines from standard input, and writes the status and output of each to standard output. */
    public static void main(String[] args) throws IOException {
        DataInputStream lines = new DataInputStream(System.in);
        DataOutputStream said = new DataOutputStream(System.out);
        System.setOut(System.err);
        while (true) {
            String[] line;
            try {
                line = new String[lines.readInt()];
            } catch (EOFException e) {
                System.exit(0);
                return;
            }
            for (int i = 0; i < line.length; i++) {
                line[i] = lines.readUTF();
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            said.writeInt(new Main(new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8),
                System.getenv()).run(line));
            said.writeUTF(out.toString(StandardCharsets.UTF_8));
            said.writeUTF(err.toString(StandardCharsets.UTF_8));
            said.flush();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Path own = Files.createTempDirectory("refusals");
        directory = own;
        List<String> command = new ArrayList<>(ToolClassPath.java(Path.of("target", "test-classes").toAbsolutePath()));
        command.addAll(ToolClassPath.brokers());
        command.addAll(List.of("-Djava.io.tmpdir=" + Files.createDirectories(own.resolve("tmp")), Refusals.class.getName()));
        ProcessBuilder builder = new Tool(own).surroundings(new ProcessBuilder(command));
        builder.environment().putAll(environment);
        Process started = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        process = started;
        words = new DataOutputStream(started.getOutputStream());
        answers = new DataInputStream(started.getInputStream());
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
        if (directory != null) {
            try (Stream<Path> all = Files.walk(directory)) {
                all.sorted((one, other) -> other.compareTo(one)).forEach(path -> assertThat(path.toFile().delete()).isTrue());
            }
        }
    }

    /** Returns the working directory of all command lines, below which their files and brokers are. */
    Path directory() {
        return Objects.requireNonNull(directory);
    }

    /** Executes a command line, and returns its output and exit status. */
    synchronized Tool.Finished run(String... args) throws Exception {
        DataOutputStream to = Objects.requireNonNull(words);
        to.writeInt(args.length);
        for (String word : args) {
            to.writeUTF(word);
        }
        to.flush();
        DataInputStream from = Objects.requireNonNull(answers);
        FutureTask<Tool.Finished> answer =
            new FutureTask<>(() -> new Tool.Finished(from.readInt(), from.readUTF(), from.readUTF(), directory().resolve("tmp")));
        Thread.ofPlatform().daemon().start(answer);
        return answer.get(Tool.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Asserts that a command line is refused with one sentence that contains the parts. */
    void refuses(String commandLine, String... parts) throws Exception {
        run(commandLine.strip().split(" +")).exits(2).saysOnly(parts);
    }
}
