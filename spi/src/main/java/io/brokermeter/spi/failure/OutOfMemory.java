package io.brokermeter.spi.failure;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Ends a process whose memory is used up, with one sentence on standard error. An {@link OutOfMemoryError} ends the thread in which it
 * happens to be thrown, which may be one of a client library that swallows it, and then the rest of the process waits for ever. So it is
 * looked for in every failure that reaches the user, in what libraries log and in what no thread catches; and a full heap is noticed even
 * where nobody reports the error.
 *
 * <p>Without {@link #endsProcess}, as in tests, nothing ends.
 */
public final class OutOfMemory {

    /** The exit status of a process that ended here. */
    private static final int FAILED = 1;
    private static final long LOOK_MILLIS = 500;
    /** The time for the sentence, which a full pipe could hold up, in looks. */
    private static final int LAST_WORDS = 4;
    /** The looks after which a second shortage has nothing to do with the first. */
    private static final int APART = 20;

    private static volatile boolean ends;
    private static volatile boolean ending;
    private static @Nullable Thread watch;
    /** Made in time, since nothing can be made when the heap is full. */
    private static byte[] full = {};

    private OutOfMemory() {}

    /**
     * Makes the process end when its memory is used up, from now on.
     *
     * @param err where other failures are printed that no thread catches
     */
    public static synchronized void endsProcess(PrintStream err) {
        if (watch != null) {
            return;
        }
        full = sentence("Java heap space").getBytes(StandardCharsets.UTF_8);
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            check(failure);
            err.print("Exception in thread \"" + thread.getName() + "\" ");
            failure.printStackTrace(err);
        });
        watch = Thread.ofPlatform().daemon().name("brokermeter-memory").start(OutOfMemory::watch);
        ends = true;
    }

    /** Ends the process if it is to end, and this failure or one of its causes is an {@link OutOfMemoryError}. */
    public static void check(Throwable failure) {
        if (ends) {
            OutOfMemoryError error = Failure.find(failure, OutOfMemoryError.class);
            if (error != null) {
                end(error);
            }
        }
    }

    /** Returns the sentence for the user about a shortage. */
    public static String sentence(String what) {
        if (what.contains("native thread")) {
            return "The system refused another thread (" + what
                + "), so this process ended; use fewer connections, let it have more threads"
                + " (ulimit -u, the pids limit of a container), or give each a smaller stack, as in JAVA_ARGS='-Xmx512m -Xss256k'.";
        }
        return "The memory is used up (" + what + "), so this process ended; use fewer connections, smaller messages or fewer of them"
            + " in flight, or give it more, as in JAVA_ARGS=-Xmx2g; its heap was at most " + (Runtime.getRuntime().maxMemory() >> 20)
            + " MiB.";
    }

    private static void end(OutOfMemoryError error) {
        byte[] words = full;
        try {
            words = sentence(String.valueOf(error.getMessage())).getBytes(StandardCharsets.UTF_8);
        } catch (OutOfMemoryError e) {
            // The sentence that was made in time has to do.
        }
        end(words);
    }

    private static void end(byte[] words) {
        if (!ending) {
            ending = true;
            try {
                FileOutputStream err = new FileOutputStream(FileDescriptor.err);
                err.write(words);
                err.write('\n');
            } catch (IOException | OutOfMemoryError e) {
                // The end alone must do.
            }
        }
        Runtime.getRuntime().halt(FAILED);
    }

    /**
     * Ends the process when the heap was full. The JVM clears all soft references before it throws the error, while one that is used again
     * and again is kept otherwise. That alone also happens for one array that is too large, which whoever made it reports, and after a
     * standstill; so the heap must be full, or it must happen again soon. This thread makes no objects before that.
     */
    private static void watch() {
        Runtime runtime = Runtime.getRuntime();
        SoftReference<Object> sentinel = new SoftReference<>(new Object());
        int since = APART;
        int last = 0;
        while (last < LAST_WORDS) {
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                // Nobody has a reason to; the watch goes on.
            }
            last = ending ? last + 1 : 0;
            since++;
            if (sentinel.get() == null) {
                long most = runtime.maxMemory();
                boolean isFull = runtime.totalMemory() - runtime.freeMemory() > most / 20 * 19;
                if (isFull || since < APART) {
                    end(full);
                }
                since = 0;
                try {
                    sentinel = new SoftReference<>(new Object());
                } catch (OutOfMemoryError e) {
                    end(full);
                }
            }
        }
        Runtime.getRuntime().halt(FAILED);
    }
}
