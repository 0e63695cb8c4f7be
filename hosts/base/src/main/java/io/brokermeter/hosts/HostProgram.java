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
 * The life of a child process that runs one broker, until standard input ends (the parent is gone, however it went),
 * SIGTERM arrives, or a line {@value #STOP} comes, after which the broker has ended in its own orderly way and its directory is left as it is.
 * Lines {@value #FULL} and {@value #FREE} are about its disk.
 *
 * <p>Prints exactly one line {@code READY <port> [<name>=<port> ...]} when the broker accepts connections. When it does
 * not start, prints the broker's last warnings and then one line {@code FAILED <cause>}, or {@value #REFUSED} and a sentence alone for a property that the
 * broker has not, and exits with 1.
 */
public final class HostProgram {

    /** A line of standard input. */
    public static final String STOP = "stop";

    /** A line of standard input, after which the broker takes its disk for full; the answer is a line that begins with {@value #DISK}. */
    public static final String FULL = "full";

    /** A line of standard input, after which it does not any more; the answer is a line that begins with {@value #DISK}. */
    public static final String FREE = "free";

    /** What the answer begins with; why it was not done follows, and nothing where it was. */
    public static final String DISK = "DISK ";

    /** What the line about a property that the broker has not begins with. */
    public static final String REFUSED = "REFUSED ";

    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private final Host host;
    private final HostArguments arguments;
    private final PrintStream output;
    private volatile @Nullable DataDirectory data;
    private volatile boolean started;

    private HostProgram(Host host, HostArguments arguments, PrintStream output) {
        this.host = host;
        this.arguments = arguments;
        this.output = output;
    }

    /** Runs the broker; what {@code main} of a host program calls. Returns once it is started, and the process stays. */
    public static void run(Host host, String... arguments) {
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
        new HostProgram(host, parsed, output).run();
    }

    /** Ctrl-C reaches the whole process group, but the parent decides when the broker goes: after its summary. */
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
            Ports ports = host.start(arguments.withProperties(properties), directory, secrets);
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
            // What an earlier process left there is all that is left of it; the parent says what becomes of that.
            if (!arguments.adopt()) {
                deleteData();
            }
            // The broker's threads are not daemons: without this the process would stay.
            Runtime.getRuntime().halt(1);
        }
    }

    /** The end of standard input is the parent's, even when that was killed. */
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
            host.fill(full);
        } catch (Exception | LinkageError e) {
            refusal = causeOf(e);
        }
        output.println(DISK + refusal);
        output.flush();
    }

    /** The parent bounds how long this takes. */
    private void stopOrderly() {
        try {
            host.stop();
        } catch (Exception e) {
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    /**
     * Ends the process. Whoever asks second waits for the end that the first one brings.
     *
     * @param orphaned whether the parent is gone, so that nobody else deletes what the processes of a topology share
     */
    private synchronized void stop(boolean orphaned) {
        DataDirectory directory = data;
        if (started && directory != null && !directory.isThrowaway()) {
            Thread.ofPlatform().name("stop-limit").daemon().start(() -> {
                LockSupport.parkNanos(STOP_LIMIT.toNanos());
                Runtime.getRuntime().halt(1);
            });
            try {
                host.stop();
            } catch (Exception e) {
                // the journal is made for that
            }
        }
        deleteData();
        if (orphaned) {
            arguments.group().ifPresent(DataDirectory::delete);
        }
        Runtime.getRuntime().halt(0);
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
