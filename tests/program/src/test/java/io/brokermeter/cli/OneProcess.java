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
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Executes command lines one after the other in a single process of the program, since most of the cost of one that is refused or measures
 * for a moment is the start of a JVM. Used as a static field with {@code @RegisterExtension}; all command lines of a class share a
 * directory, in which the tests have the files of their runs one after the other.
 */
final class OneProcess implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {

    private final Map<String, String> environment = new TreeMap<>();

    private @Nullable Path directory;
    private @Nullable Process process;
    private @Nullable DataOutputStream words;
    private @Nullable DataInputStream answers;

    OneProcess with(String variable, String value) {
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
            for (ByteArrayOutputStream each : List.of(out, err)) {
                said.writeInt(each.size());
                each.writeTo(said);
            }
            said.flush();
        }
    }

    private static String text(DataInputStream from) throws IOException {
        return new String(from.readNBytes(from.readInt()), StandardCharsets.UTF_8);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Path own = Files.createTempDirectory("program");
        directory = own;
        List<String> command = new ArrayList<>(ToolClassPath.java(Path.of("target", "test-classes").toAbsolutePath()));
        command.addAll(ToolClassPath.brokers());
        command.addAll(List.of("-Djava.io.tmpdir=" + new Tool(own).temporary(), OneProcess.class.getName()));
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
            delete(directory);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        if (Files.exists(state())) {
            delete(state());
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted((one, other) -> other.compareTo(one)).forEach(path -> assertThat(path.toFile().delete()).isTrue());
        }
    }

    /** Returns the directory below which the files of runs are; empty before each test. */
    Path state() {
        return new Tool(directory()).state();
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
            new FutureTask<>(() -> new Tool.Finished(from.readInt(), text(from), text(from), directory().resolve("tmp")));
        Thread.ofPlatform().daemon().start(answer);
        return answer.get(Tool.LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Asserts that a command line is refused with one sentence that contains the parts. */
    void refuses(String commandLine, String... parts) throws Exception {
        run(commandLine.strip().split(" +")).exits(2).saysOnly(parts);
    }
}
