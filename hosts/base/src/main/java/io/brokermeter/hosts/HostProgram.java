package io.brokermeter.hosts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Runs one broker in a child process until standard input ends (the parent is gone, however it ended), SIGTERM arrives, or a line
 * {@value #STOP} comes. After that line the broker stops in its own orderly way and its directory is left as it is. Lines {@value #FULL}
 * and {@value #FREE} make its disk count as full and end that.
 *
 * <p>Prints exactly one line {@code READY <port> [<name>=<port> ...]} when the broker accepts connections. If the broker does not start,
 * prints its last warnings and then one line {@code FAILED <cause>}, or only {@value #REFUSED} and a sentence for a property that the
 * broker refuses, and exits with 1.
 */
public final class HostProgram {

    /** The line of standard input that asks the broker to stop in its own orderly way. */
    public static final String STOP = "stop";

    /** The line of standard input that makes the broker's disk count as full; the answer is a line that begins with {@value #DISK}. */
    public static final String FULL = "full";

    /** The line of standard input that ends the effect of {@link #FULL}; the answer is a line that begins with {@value #DISK}. */
    public static final String FREE = "free";

    /** Prefix of the answer to {@link #FULL} and {@link #FREE}; the reason follows if that failed, and nothing if it succeeded. */
    public static final String DISK = "DISK ";

    /** Prefix of the line that reports a property that the broker refuses. */
    public static final String REFUSED = "REFUSED ";

    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private final EmbeddedBroker broker;
    private final HostArguments arguments;
    private final PrintStream output;
    private volatile @Nullable DataDirectory data;
    private volatile boolean started;

    private HostProgram(EmbeddedBroker broker, HostArguments arguments, PrintStream output) {
        this.broker = broker;
        this.arguments = arguments;
        this.output = output;
    }

    /** Runs the broker; called by {@code main} of a host program. Returns once the broker is started, and the process stays. */
    public static void run(EmbeddedBroker broker, String... arguments) {
        ignoreInterrupts();
        PrintStream output = System.out;
        // Nothing but the lines of this class may reach the parent's pipe.
        System.setOut(System.err);
        HostArguments parsed;
        try {
            parsed = HostArguments.parse(arguments);
        } catch (IllegalArgumentException e) {
            output.println("FAILED " + e.getMessage());
            output.flush();
            Runtime.getRuntime().halt(1);
            return;
        }
        new HostProgram(broker, parsed, output).run();
    }

    /**
     * Ignores SIGINT: Ctrl-C reaches the whole process group, but the parent decides when the broker ends, which is after its summary.
     */
    private static void ignoreInterrupts() {
        sun.misc.Signal.handle(new sun.misc.Signal("INT"), sun.misc.SignalHandler.SIG_IGN);
    }

    private void run() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(false), "stop"));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        BrokerLog log = null;
        try {
            Map<String, String> secrets = new HashMap<>();
            Map<String, String> properties = new LinkedHashMap<>();
            for (String name : arguments.secrets()) {
                String secret = input.readLine();
                if (secret == null) {
                    throw new IOException("Standard input ended before it brought the secret " + name + ".");
                }
                if (name.equals(HostArguments.PROPERTY)) {
                    Map.Entry<String, String> property = HostArguments.property(secret);
                    properties.put(property.getKey(), property.getValue());
                } else {
                    secrets.put(name, secret);
                }
            }
            watch(input);
            DataDirectory directory = DataDirectory.open(arguments.data(), arguments.keep(), arguments.adopt());
            data = directory;
            log = BrokerLog.open(directory.resolve("broker.log"));
            HeapSocket.open(directory.resolve(HeapSocket.NAME));
            Ports ports = broker.start(arguments.withProperties(properties), directory, secrets);
            started = true;
            output.println("READY " + ports);
            output.flush();
        } catch (Exception | LinkageError e) {
            if (e instanceof RefusedProperty) {
                output.println(REFUSED + String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " "));
            } else {
                List<String> warnings = log == null ? List.of() : log.recent();
                warnings.forEach(output::println);
                output.println("FAILED " + causeOf(e) + (warnings.isEmpty() ? "" : ": " + warnings.getLast()));
            }
            output.flush();
            // An adopted directory may be all that is left of an earlier process; the parent decides what happens to it.
            if (!arguments.adopt()) {
                deleteData();
            }
            // The broker's threads are not daemons: without this call the process would stay.
            Runtime.getRuntime().halt(1);
        }
    }

    /**
     * Reads commands from standard input on a thread, and ends the process when the input ends: then the parent is
     * gone, even if it was killed.
     */
    private void watch(BufferedReader input) {
        Thread.ofPlatform().name("parent-watch").start(() -> {
            try {
                String line;
                while ((line = input.readLine()) != null) {
                    if (line.equals(STOP) && started) {
                        Thread.ofPlatform().name("orderly-stop").start(this::stopOrderly);
                    } else if ((line.equals(FULL) || line.equals(FREE)) && started) {
                        boolean full = line.equals(FULL);
                        Thread.ofPlatform().name("disk").start(() -> fill(full));
                    }
                }
            } catch (IOException e) {
                // a broken pipe is an end, too
            }
            stop(true);
        });
    }

    private void fill(boolean full) {
        String refusal = "";
        try {
            broker.fill(full);
        } catch (Exception | LinkageError e) {
            refusal = causeOf(e);
        }
        output.println(DISK + refusal);
        output.flush();
    }

    /** Stops the broker in its own orderly way and ends the process. The parent limits how long this takes. */
    private void stopOrderly() {
        try {
            broker.stop();
        } catch (Exception e) {
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    /**
     * Ends the process. A second caller blocks until the first one has ended the process.
     *
     * @param orphaned whether the parent is gone, so that nobody else deletes the files that the processes of a topology share
     */
    private synchronized void stop(boolean orphaned) {
        DataDirectory directory = data;
        if (started && directory != null && !directory.isThrowaway()) {
            Thread.ofPlatform().name("stop-limit").daemon().start(() -> {
                LockSupport.parkNanos(STOP_LIMIT.toNanos());
                Runtime.getRuntime().halt(1);
            });
            try {
                broker.stop();
            } catch (Exception e) {
                // the journal tolerates an unclean end
            }
        }
        if (orphaned) {
            deleteAfterTheEnd(directory);
        }
        deleteData();
        Runtime.getRuntime().halt(0);
    }

    /** Lets the directories be deleted when this process is gone: until then threads of the broker may write into them. */
    private void deleteAfterTheEnd(@Nullable DataDirectory directory) {
        try {
            if (arguments.group().isPresent()) {
                ExitAction.deleting(arguments.group().get());
            } else if (directory != null && directory.isThrowaway()) {
                ExitAction.deleting(directory.path());
            }
        } catch (IOException e) {
            arguments.group().ifPresent(DataDirectory::delete);
        }
    }

    private void deleteData() {
        DataDirectory directory = data;
        if (directory != null) {
            directory.deleteIfCreated();
        }
    }

    private static String causeOf(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String message = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
        String full = root == thrown || message.contains(String.valueOf(root.getMessage())) ? message
            : message + " (" + root + ")";
        return full.replaceAll("\\s*\\R\\s*", " ");
    }
}
