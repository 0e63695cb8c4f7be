package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.RunResult;

/** The real program in a process of its own. Its files and those of its broker are below one directory. */
final class Tool {

    /** The longest wait in seconds. A machine with a load of 20 needs more than a minute for what otherwise takes 10 s. */
    static final long LIMIT_SECONDS = 480;

    /** Arguments with which connections are restored, so that an attempt without an answer must end soon in favour of the next one. */
    private static final List<String> RESTORING = List.of("failover", "--reconnect");

    private final Path directory;
    private final Map<String, String> environment = new TreeMap<>();

    private List<String> before = List.of();
    private List<String> jvm = List.of();
    private Path output;
    private int fileLimit;
    private int rows;
    private int columns;

    Tool(Path directory) {
        this.directory = directory;
    }

    Tool with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Limits the size of each file that the program writes. */
    Tool limitedTo(int kibibytes) {
        fileLimit = kibibytes;
        return this;
    }

    /** Adds options of the JVM, which override those that all tests set. */
    Tool onJvm(List<String> options) {
        jvm = List.copyOf(options);
        return this;
    }

    /** Puts a command before the command line of the program. */
    Tool below(List<String> command) {
        before = List.copyOf(command);
        return this;
    }

    /** Redirects standard output to a file, so that {@link Running#out()} stays empty. */
    Tool writingTo(Path file) {
        output = file;
        return this;
    }

    /** Runs the program on a terminal of a size; its output goes to a file, and its input comes from {@link Running#type}. */
    Tool onTerminal(int height, int width, Path file) {
        rows = height;
        columns = width;
        return with("TERM", "xterm-256color").with("LANG", "C.UTF-8").with("LC_ALL", "C.UTF-8").writingTo(file);
    }

    /** Returns a command that runs another one on a terminal, which the program script of bsdutils or util-linux creates. */
    private List<String> terminal(List<String> command) {
        assertThat(Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(Path::of).map(path -> path.resolve("script")))
            .as("a program 'script' (Debian: bsdutils; Fedora: util-linux-script) must be on the PATH: it makes the terminal of this test")
            .anyMatch(Files::isExecutable);
        String words = command.stream().map(word -> "'" + word.replace("'", "'\\''") + "'").collect(Collectors.joining(" "));
        return List.of("script", "--quiet", "--flush", "--return", "--command",
            "stty rows " + rows + " cols " + columns + "; exec " + words,
            "/dev/null");
    }

    /** Returns the directory below which the program keeps the files of its runs. */
    Path state() {
        return directory.resolve("state");
    }

    /** Runs the program to its end. */
    Finished run(String... args) throws Exception {
        try (Running running = start(args)) {
            return running.await();
        }
    }

    Running start(String... args) throws IOException {
        Path temporary = temporary();
        List<String> command = new ArrayList<>(before);
        if (fileLimit > 0) {
            command.addAll(List.of("bash", "-c", "ulimit -f " + fileLimit + "; exec \"$@\"", "bash"));
        }
        // A build in the background may ignore SIGINT, which a JVM would inherit.
        command.addAll(List.of("env", "--default-signal=INT,TERM,HUP"));
        command.addAll(ToolClassPath.java());
        command.addAll(jvm);
        command.addAll(ToolClassPath.brokers());
        command.addAll(List.of("-Djava.io.tmpdir=" + temporary, "io.brokermeter.cli.Main"));
        command.addAll(List.of(args));
        ProcessBuilder builder = surroundings(new ProcessBuilder(rows > 0 ? terminal(command) : command));
        if (Collections.disjoint(List.of(args), RESTORING)) {
            // A stall of the machine for ten seconds delays the answers of a broker by as much.
            builder.environment().put("BROKERMETER_CONNECT_TIMEOUT", "60s");
        }
        if (output != null) {
            builder.redirectOutput(output.toFile());
        }
        return new Running(builder.start(), temporary);
    }

    /**
     * Returns the directory of temporary files, which is made where it is not there yet. When the tests run as root, the user nobody, as
     * whom some brokers then run, may enter it.
     */
    Path temporary() throws IOException {
        Path temporary = Files.createDirectories(directory.resolve("tmp"));
        for (Path each : List.of(directory, temporary)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwx--x--x"));
        }
        return temporary;
    }

    /** Sets the working directory and the environment of a process. */
    ProcessBuilder surroundings(ProcessBuilder builder) {
        builder.environment().keySet().removeIf(name -> name.startsWith("BROKERMETER_"));
        List.of("JAVA_TOOL_OPTIONS", "COLUMNS", "LINES", "NO_COLOR").forEach(builder.environment()::remove);
        builder.environment().put("XDG_STATE_HOME", state().toString());
        builder.environment().putAll(environment);
        return builder.directory(directory.toFile());
    }

    /** A running process, which is killed on close. */
    static final class Running implements AutoCloseable {

        private static final Pattern BROKER = Pattern.compile("\\(pid (\\d+), ([a-z]+://[^,]+),");

        private final Process process;
        private final Path temporary;
        private final Lines out;
        private final Lines err;

        Running(Process process, Path temporary) {
            this.process = process;
            this.temporary = temporary;
            out = new Lines(process.getInputStream());
            err = new Lines(process.getErrorStream());
        }

        long pid() {
            return process.pid();
        }

        /** Returns the standard output so far. */
        String out() {
            return out.text();
        }

        Running awaitOut(String part) throws InterruptedException {
            out.await(line -> line.contains(part), part, this);
            return this;
        }

        /** Waits for a line with a part. Returns whether it came; false if the program ended without it. */
        boolean awaitOutUnlessEnded(String part) throws InterruptedException {
            return out.awaitUnlessEnded(line -> line.contains(part), part, this);
        }

        /** Waits for the {@code count}th live block. Returns whether it came; false if the program ended before. */
        boolean awaitBlocksUnlessEnded(int count) throws InterruptedException {
            return out.awaitUnlessEnded(blocks(count), count + " live blocks", this);
        }

        Running awaitErr(String part) throws InterruptedException {
            err.await(line -> line.contains(part), part, this);
            return this;
        }

        /** Waits for the {@code count}th live block. */
        Running awaitBlocks(int count) throws InterruptedException {
            out.await(blocks(count), count + " live blocks", this);
            return this;
        }

        private static Predicate<String> blocks(int count) {
            int[] seen = {0};
            return line -> startsBlock(line) && ++seen[0] == count;
        }

        /** Returns the number of live blocks so far. */
        int blocks() {
            return (int) out().lines().filter(Running::startsBlock).count();
        }

        private static boolean startsBlock(String line) {
            return line.startsWith("--- warmup");
        }

        /** Types keys on the terminal of the program. */
        Running type(String keys) throws IOException {
            process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
            return this;
        }

        /** Ends the standard input of the program. */
        Running endInput() throws IOException {
            process.getOutputStream().close();
            return this;
        }

        /** Returns the processes that the program has started, and theirs. */
        List<ProcessHandle> descendants() {
            return process.descendants().toList();
        }

        /** Sends a signal to the process group that the program leads if it runs {@linkplain Tool#below below} {@code setsid}. */
        Running signalGroup(String name) throws Exception {
            assertThat(new ProcessBuilder("kill", "-" + name, "--", "-" + process.pid()).start().waitFor()).isZero();
            return this;
        }

        Running signal(String name) throws Exception {
            assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor()).isZero();
            return this;
        }

        /** Sends a signal; has no effect if the program has ended. */
        Running signalUnlessEnded(String name) throws Exception {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
            return this;
        }

        Finished await() throws InterruptedException {
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                .as("the program ends; so far it said%n%s%n%s", out.text(), err.text()).isTrue();
            out.join();
            err.join();
            return new Finished(process.exitValue(), out.text(), err.text(), temporary);
        }

        /** Returns the process id of the Artemis that was started for the run. */
        long brokerPid() throws InterruptedException {
            return brokerPid("Apache Artemis");
        }

        /** Returns the process id of the broker that was started for the run, of a name as the program prints it. */
        long brokerPid(String product) throws InterruptedException {
            awaitOut("Started " + product);
            Matcher matcher = BROKER.matcher(out.text());
            assertThat(matcher.find()).isTrue();
            return Long.parseLong(matcher.group(1));
        }

        @Override
        public void close() {
            process.destroyForcibly();
            try {
                // It may write into the directory until it is gone.
                process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * A process that has ended.
     *
     * @param status its exit status
     * @param out its standard output
     * @param err its standard error
     * @param temporary the directory it and its broker had for temporary files
     */
    record Finished(int status, String out, String err, Path temporary) {

        private static final String MISSED = "The asked rate was missed by more than half";

        Finished exits(int expected) {
            assertThat(status).as("exit status; it said%n%s%n%s", out, err).isEqualTo(expected);
            return this;
        }

        /** Returns whether the output reports a missed rate. */
        boolean missedItsRate() {
            return Pattern.compile("(?m)^--- result: +rate missed|^--- cause: " + MISSED).matcher(out).find();
        }

        /**
         * Asserts that the program ended without a failure, except perhaps of the rate: one that is missed by more than half fails a run,
         * and a stall of the machine for most of a short run may cause that. Where the verdict decides, it may say that the generator was
         * measured, also of a run without a rate that a stall made last a second.
         */
        Finished exitsWellAtAnyRate() {
            return exitsAtAnyRate(0);
        }

        /**
         * Like {@link #exits}, except that the program may instead have failed because of a missed rate, and of nothing else, or that what
         * it measured is invalid.
         */
        Finished exitsAtAnyRate(int expected) {
            if (status == RunResult.INVALID) {
                assertThat(out + err).as("what is invalid").containsIgnoringCase("invalid");
                return this;
            }
            if (status != 1) {
                return exits(expected);
            }
            assertThat(out.lines().filter(line -> line.startsWith("--- cause: "))).as("causes; it said%n%s%n%s", out, err).isNotEmpty()
                .allSatisfy(line -> assertThat(line).startsWith("--- cause: " + MISSED));
            return this;
        }

        /** Returns the number after a name in the summary. */
        long total(String name) {
            Matcher matcher = Pattern.compile("(?m)^--- " + Pattern.quote(name) + ": +(\\d+)").matcher(out);
            assertThat(matcher.find()).as("%s in%n%s%n%s", name, out, err).isTrue();
            return Long.parseLong(matcher.group(1));
        }

        /** Returns a figure of a latency line in microseconds. */
        double micros(String name, String figure) {
            Matcher matcher = Pattern.compile("(?m)^--- " + Pattern.quote(name) + ": .*?" + Pattern.quote(figure)
                + ": +([0-9.]+) us").matcher(out);
            assertThat(matcher.find()).as("%s of %s in%n%s", figure, name, out).isTrue();
            return Double.parseDouble(matcher.group(1));
        }

        /** Asserts that the program printed one sentence with these parts on standard error, nothing else, and left no broker's files. */
        Finished saysOnly(String... parts) {
            assertThat(out).isEmpty();
            assertThat(err.strip().lines()).as(err).hasSize(1);
            assertThat(err).contains(parts);
            return leavesNothing();
        }

        /** Asserts that no broker's files are left. Where a busy machine gave the program no time to delete them, others do it after its end. */
        Finished leavesNothing() {
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            String[] left = left();
            while (left != null && left.length > 0 && System.nanoTime() - limit < 0) {
                LockSupport.parkNanos(20_000_000);
                left = left();
            }
            assertThat(left).as("left behind in " + temporary).isNullOrEmpty();
            return this;
        }

        private String[] left() {
            return temporary.toFile().list((_, name) -> name.startsWith("brokermeter-"));
        }
    }

    /** The lines of a stream, as they arrive. */
    private static final class Lines {

        private final List<String> lines = new ArrayList<>();
        private final Thread reader;
        private boolean ended;

        Lines(InputStream stream) {
            reader = Thread.ofPlatform().daemon().start(() -> {
                try (BufferedReader in = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                    for (String line = in.readLine(); line != null; line = in.readLine()) {
                        add(line);
                    }
                } catch (IOException e) {
                    add("(reading ended: " + e.getMessage() + ")");
                }
                end();
            });
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        synchronized String text() {
            return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
        }

        void await(Predicate<String> wanted, String what, Running running) throws InterruptedException {
            assertThat(awaitUnlessEnded(wanted, what, running)).as("%s comes; the program has ended, and said%n%s%n%s", what,
                running.out.text(), running.err.text()).isTrue();
        }

        synchronized boolean awaitUnlessEnded(Predicate<String> wanted, String what, Running running) throws InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            for (int next = 0;;) {
                while (next < lines.size()) {
                    if (wanted.test(lines.get(next++))) {
                        return true;
                    }
                }
                if (ended) {
                    return false;
                }
                long left = (deadline - System.nanoTime()) / 1_000_000;
                assertThat(left > 0).as("%s comes; so far it said%n%s%n%s", what, running.out.text(),
                    running.err.text()).isTrue();
                wait(left);
            }
        }

        void join() throws InterruptedException {
            reader.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        }
    }
}
