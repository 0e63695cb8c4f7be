package io.brokermeter.brokers.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;

/**
 * The program of a broker on this machine.
 *
 * @param broker kind of the broker, for messages
 * @param path path of the program
 */
public record NativeProgram(String broker, Path path) {

    /** The longest wait for the version; a busy machine may need half a minute to start and run a program. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The directories in which servers are installed, which the PATH of a user often lacks. */
    private static final List<String> SERVERS = List.of("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin",
        "/opt/homebrew/sbin", "/opt/homebrew/bin");

    /**
     * Looks for a program on the PATH and in the usual directories of servers.
     *
     * @param program name of the program, which is that of its Debian package, too
     * @throws IllegalArgumentException with one sentence for the user, when the program does not exist
     */
    public static NativeProgram find(String broker, String program) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.concat(Arrays.stream(path.split(Pattern.quote(File.pathSeparator))), SERVERS.stream())
            .filter(directory -> !directory.isBlank())
            .map(directory -> Path.of(directory, program))
            .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
            .findFirst().map(file -> new NativeProgram(broker, file))
            .orElseThrow(() -> new IllegalArgumentException("Broker " + broker + " needs the program " + program
                + " on the PATH: install the Debian package " + program + "."));
    }

    /**
     * Returns the name of the broker with the version that the program reports.
     *
     * @param asked the requested broker
     * @param version pattern whose first group is the version in the output of the program with {@code arguments}
     * @throws IllegalArgumentException with one sentence for the user, when another version was requested
     * @throws BrokerException when the program does not report a version
     */
    public BrokerName version(BrokerName asked, Pattern version, String... arguments) throws BrokerException {
        String output = output(arguments);
        Matcher matcher = version.matcher(output);
        if (!matcher.find()) {
            throw new BrokerException("Broker " + asked.name() + " does not start: " + path + " "
                + String.join(" ", arguments) + " does not print its version.");
        }
        return exactly(asked, matcher.group(1));
    }

    /**
     * Returns the name of the broker with the installed version.
     *
     * @throws IllegalArgumentException with one sentence for the user, when another version was requested
     */
    public BrokerName exactly(BrokerName asked, String found) {
        if (asked.version().isPresent() && !asked.version().get().equals(found)) {
            throw new IllegalArgumentException("Broker " + asked + " is not available; the version of " + path + " is "
                + broker + ":" + found + ".");
        }
        return new BrokerName(asked.name(), Optional.of(found));
    }

    /** Returns the output and the errors of the program; its exit status is ignored. */
    private String output(String... arguments) throws BrokerException {
        List<String> command = Stream.concat(Stream.of(path.toString()), Arrays.stream(arguments)).toList();
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new BrokerException("Broker " + broker + " does not start: " + e.getMessage() + ".", e);
        }
        try {
            // Another thread reads the output, since a program that hangs never ends it.
            return CompletableFuture.supplyAsync(() -> read(process)).get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new BrokerException("Broker " + broker + " does not start: " + String.join(" ", command)
                + " does not end within " + LIMIT.toSeconds() + " s.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BrokerException("Broker " + broker + " does not start: the wait for it was interrupted.", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
