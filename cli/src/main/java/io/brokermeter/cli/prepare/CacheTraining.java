package io.brokermeter.cli.prepare;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.trials.ProgressLine;
import io.brokermeter.trials.network.Interruption;
import org.jspecify.annotations.Nullable;

/**
 * Trains the JVM's cache (JEP 514) once for each build and JVM, which makes every later start cheaper. A training takes half a
 * minute of both cores, so a process in the background does it after the first command that measures, at the least priority, and
 * the next command that measures ends that process; or it runs when the user asks for it with {@code brokermeter prepare}. The
 * launcher says where the cache belongs and how it starts the JVM; without the launcher there is nothing to train.
 *
 * <p>A training that was ended runs again after the next measurement.
 */
public final class CacheTraining {

    /** The variable that prevents trainings after commands when it is {@code off}, for machines that are discarded after a few commands. */
    public static final String VARIABLE = "BROKERMETER_PREPARE";

    /** The file that a training locks; it has the process id of the last one in the background. */
    private static final String LOCK = "lock";
    /** Marks the command line of a training in the background. */
    private static final String BACKGROUND = "brokermeter.background";
    private static final String KAFKA = "kafka";
    private static final List<String> CACHES = List.of("brokermeter.aot", "artemis.aot");
    private static final String PARSER = "picocli.jar";
    /** The duration of the rest of a training after its last reported step, in which the JVM writes the cache, in durations of a step. */
    private static final double LAST_STEP = 2.5;
    private static final double STEP_SECONDS = 3.5;
    /** The longest wait for a JVM to start, in seconds. A start takes a tenth of a second, and longer on a busy machine. */
    private static final long START_SECONDS = 60;

    private final Path aot;
    private final Path home;
    private final Path built;
    private final List<String> jvm;

    private CacheTraining(Path aot, Path home, Path built, List<String> jvm) {
        this.aot = aot;
        this.home = home;
        this.built = built;
        this.jvm = jvm;
    }

    /** Returns the training that the launcher describes in system properties; empty without a launcher. */
    static Optional<CacheTraining> of() {
        String aot = System.getProperty("brokermeter.aot");
        String home = System.getProperty("brokermeter.home");
        String built = System.getProperty("brokermeter.built");
        String jvm = System.getProperty("brokermeter.jvm");
        if (aot == null || home == null || built == null || jvm == null) {
            return Optional.empty();
        }
        return Optional.of(new CacheTraining(Path.of(aot), Path.of(home), Path.of(built), List.of(jvm.strip().split("\\s+"))));
    }

    /**
     * Starts a training in the background after a command that measured, when this is the first one since the build, or the first
     * one over Kafka.
     *
     * @param status the command's exit status; no training follows a command that a signal ended
     * @param protocols the protocols that the command used
     */
    public static void after(int status, Set<String> protocols, Map<String, String> environment, PrintStream err) {
        if (status > RunResult.INVALID && status != RunResult.THRESHOLD_MISSED || Interruption.wasReceived()
            || "off".equalsIgnoreCase(environment.getOrDefault(VARIABLE, ""))) {
            return;
        }
        of().filter(training -> training.isDue(protocols)).ifPresent(training -> training.begin(err));
    }

    /**
     * Sees to it that no other process trains, which would disturb the measurement of this process: ends a training in the background,
     * and waits for one that a user asked for; at most a minute.
     */
    public static void awaitOthers(PrintStream err) {
        of().ifPresent(training -> training.await(err));
    }

    private void begin(PrintStream err) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP; exec nice -n 19 \"$@\"", "sh", java()));
        command.addAll(jvm);
        Map.of("aot", aot, "home", home, "built", built).forEach((name, path) -> command.add("-Dbrokermeter." + name + "=" + path));
        command.addAll(List.of("-Dbrokermeter.jvm=" + String.join(" ", jvm), "-D" + BACKGROUND + "=true", "-cp",
            home.resolve("lib/brokermeter.jar").toString(), "io.brokermeter.cli.Main", "prepare"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD).directory(home.toFile());
        try {
            Files.createDirectories(aot);
            try (FileChannel channel = FileChannel.open(aot.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    @Nullable FileLock lock = channel.tryLock()) {
                if (lock != null) {
                    Process training = limit(builder).start();
                    training.getOutputStream().close();
                    note(channel, training.pid());
                    err.println(
                        "Preparing the next starts of brokermeter in the background (once, half a minute; a measurement puts it off).");
                }
            }
        } catch (IOException | OverlappingFileLockException e) {
            // The directory of another user, or a system without a shell: everything works without a cache.
        }
    }

    /** Writes which process trains in the background, 0 for none. Another way to write the file would drop the lock of this process. */
    private static void note(FileChannel file, long pid) throws IOException {
        file.truncate(0).write(ByteBuffer.wrap((pid == 0 ? "" : pid + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
    }

    /** Keeps from a training what the user's other variables set. */
    private static ProcessBuilder limit(ProcessBuilder builder) {
        builder.environment().keySet().retainAll(Set.of("HOME", "PATH", "TMPDIR", "XDG_CACHE_HOME"));
        return builder;
    }

    /** Returns whether there is a cache, of these programs and for all protocols. */
    boolean isCurrent() {
        return Files.isReadable(aot.resolve(CACHES.getFirst())) && !isDue(Set.of("KAFKA"));
    }

    private boolean isDue(Set<String> protocols) {
        if (!Files.isReadable(done()) || isOld()) {
            return true;
        }
        try {
            return protocols.contains("KAFKA") && knowsKafka() && !Files.readString(done()).contains(KAFKA);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean knowsKafka() {
        return Broker.isFetched(BrokerName.parse(KAFKA));
    }

    private boolean isOld() {
        try {
            return Files.getLastModifiedTime(built).compareTo(Files.getLastModifiedTime(done())) > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private Path done() {
        return aot.resolve("done");
    }

    private void await(PrintStream err) {
        Path file = aot.resolve(LOCK);
        if (!Files.exists(file)) {
            return;
        }
        boolean told = endInBackground(file);
        for (int tenths = 0; tenths < 600; tenths++) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE); @Nullable FileLock lock = channel.tryLock()) {
                if (lock != null) {
                    return;
                }
                if (!told) {
                    err.println("Another brokermeter prepares the next starts, which takes half a minute; this one begins after it ...");
                    told = true;
                }
                Thread.sleep(100);
            } catch (IOException | OverlappingFileLockException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Ends the training in the background of which a file has the process id; returns whether there was one. */
    private static boolean endInBackground(Path lock) {
        try {
            String pid = Files.readString(lock).strip();
            // In a container, or much later, the process of that number may be another one.
            Optional<ProcessHandle> training = pid.matches("[0-9]{1,18}") ? ProcessHandle.of(Long.parseLong(pid))
                .filter(process -> process.info().commandLine().orElse("").contains(BACKGROUND)) : Optional.empty();
            training.ifPresent(ProcessHandle::destroy);
            return training.isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Trains, with progress on {@code err}. Blocks for half a minute, or until a signal.
     *
     * @return whether a new cache was made
     */
    boolean train(PrintStream err) {
        try {
            Files.createDirectories(aot);
        } catch (IOException e) {
            return false;
        }
        try (FileChannel channel = FileChannel.open(aot.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                @Nullable FileLock lock = channel.tryLock()) {
            if (lock == null) {
                return false;
            }
            // Of two commands that end at once, the later one may have noted a training that has ended here.
            note(channel, Boolean.getBoolean(BACKGROUND) ? ProcessHandle.current().pid() : 0);
            return trainAlone(err);
        } catch (IOException | OverlappingFileLockException e) {
            // The directory of another user, or a file system without locks: everything works without a cache.
            return false;
        }
    }

    private boolean trainAlone(PrintStream err) throws IOException {
        Path work = Files.createTempDirectory(aot, "training");
        String attempted = "artemis" + (knowsKafka() ? " " + KAFKA : "");
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicReference<@Nullable Process> running = new AtomicReference<>();
        Interruption.handleAll(() -> {
            interrupted.set(true);
            Process process = running.get();
            if (process != null) {
                process.destroyForcibly();
            }
        });
        try (ProgressLine progress = ProgressLine.on(err)) {
            progress.accept("Preparing the next starts of brokermeter (once, half a minute; Ctrl-C puts it off)");
            writeParser(work);
            Process process = start(work);
            running.set(process);
            if (interrupted.get() || Interruption.wasReceived()) {
                process.destroyForcibly();
                interrupted.set(true);
            }
            follow(process, progress);
            process.waitFor();
            if (interrupted.get()) {
                return false;
            }
            // The training itself tries the cache of the broker.
            Path own = work.resolve(CACHES.getFirst());
            if (Files.exists(own) && !starts(with(own), work)) {
                Files.delete(own);
            }
            boolean made = false;
            for (String cache : CACHES) {
                Files.deleteIfExists(aot.resolve(cache));
                if (Files.isReadable(work.resolve(cache))) {
                    Files.move(work.resolve(cache), aot.resolve(cache), StandardCopyOption.ATOMIC_MOVE);
                    made = true;
                }
            }
            Files.move(work.resolve("log"), aot.resolve("training.log"), StandardCopyOption.REPLACE_EXISTING);
            // Written after a failed training, too: everything works without a cache, and the training is not repeated.
            Files.writeString(done(), attempted + "\n");
            return made;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            DataDirectory.delete(work);
            if (!Files.exists(done())) {
                Files.deleteIfExists(aot.resolve(PARSER));
            }
        }
    }

    private List<String> with(Path cache) {
        List<String> command = new ArrayList<>(List.of(java(), "-XX:AOTCache=" + cache));
        command.addAll(jvm);
        command.addAll(List.of("-cp", classPath()));
        return command;
    }

    /** Writes the parser of command lines with classes that a cache takes, where the launcher puts it before all else. */
    private void writeParser(Path work) throws IOException {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(home.resolve("lib"), "picocli-*.jar")) {
            for (Path jar : jars) {
                NewerClasses.write(jar, work.resolve(PARSER));
                Files.move(work.resolve(PARSER), aot.resolve(PARSER), StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    private String classPath() {
        return aot.resolve(PARSER) + File.pathSeparator + home.resolve("lib/brokermeter.jar");
    }

    /**
     * Returns whether a JVM starts with some options. It crashes with a cache that was written wrongly, of which it checks only little.
     *
     * @param command the program of the JVM and options, without a main class
     * @param directory directory for the files of a crash
     */
    static boolean starts(List<String> command, Path directory) throws IOException, InterruptedException {
        List<String> tried = new ArrayList<>(command);
        tried.add("-version");
        Process process = new ProcessBuilder(tried).directory(directory.toFile()).redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try {
            return process.waitFor(START_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } finally {
            process.destroyForcibly();
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private Process start(Path work) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(jvm);
        command.addAll(List.of("-Dbrokermeter.home=" + home, "-Dbrokermeter.brokers=" + home.resolve("brokers"),
            "-XX:AOTCacheOutput=" + work.resolve(CACHES.getFirst()), "-cp", classPath(),
            "io.brokermeter.dist.Training", work.resolve(CACHES.getLast()).toString()));
        return limit(new ProcessBuilder(command).directory(work.toFile()).redirectError(work.resolve("log").toFile())).start();
    }

    /**
     * Shows the progress of a training, which reports its steps, one per line: {@code step 3 of 6}. The training's standard input stays
     * open until this process ends.
     */
    private static void follow(Process process, ProgressLine progress) throws IOException {
        long began = System.nanoTime();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                String[] words = line.split(" ");
                if (words.length != 4 || !words[0].equals("step")) {
                    continue;
                }
                int step = Integer.parseInt(words[1]);
                int steps = Integer.parseInt(words[3]);
                double seconds = (System.nanoTime() - began) / 1e9;
                // The start of the broker takes as long as a step.
                double each = step > 1 ? seconds / step : STEP_SECONDS;
                progress.accept("Preparing the next starts of brokermeter (once): step " + step + " of " + steps + ", about "
                    + Math.round(each * (steps - step + 1 + LAST_STEP)) + " s left; Ctrl-C puts it off");
            }
        } catch (NumberFormatException e) {
            throw new IOException(e);
        }
    }
}
