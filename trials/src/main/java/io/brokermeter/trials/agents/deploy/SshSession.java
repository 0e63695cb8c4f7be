package io.brokermeter.trials.agents.deploy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** An ssh process, what it says, and the marks by which its script tells how far it is. Any thread may call any method. */
final class SshSession {

    static final String HAVE = "brokermeter: copy is here";
    static final String NEED = "brokermeter: no copy is here";
    static final String BEGUN = "brokermeter: agent begins";
    private static final int MOST_EARLY = 100;
    private static final long KILL_SECONDS = 2;

    private final String host;
    private final Process process;
    private final boolean agent;
    private final Consumer<String> says;
    private final BooleanSupplier ending;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final List<String> marks = new ArrayList<>();
    /** The lines that came before it was known that the agent begins: the two streams have no order between them. */
    private final List<String> early = new ArrayList<>();
    private String lastWords = "";

    /**
     * @param agent whether the session is that of an agent, whose lines are for the user once it has begun
     * @param says receives sentences for the user, from any thread
     * @param ending returns whether the session is being ended, so that its end is no news
     */
    SshSession(String host, Process process, boolean agent, Consumer<String> says, BooleanSupplier ending) {
        this.host = host;
        this.process = process;
        this.agent = agent;
        this.says = says;
        this.ending = ending;
        Thread errors = Thread.ofPlatform().daemon().name("ssh " + host + " errors").start(() -> read(process.getErrorStream(), true));
        Thread.ofPlatform().daemon().name("ssh " + host + " output").start(() -> {
            read(process.getInputStream(), false);
            finish(errors);
        });
    }

    private void read(InputStream stream, boolean words) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hear(line.strip(), words);
            }
        } catch (IOException _) {
            // ended meanwhile: its status says why
        }
    }

    private void hear(String line, boolean words) {
        boolean mark = !words && List.of(HAVE, NEED, BEGUN).contains(line);
        List<String> say = List.of();
        synchronized (marks) {
            if (mark) {
                marks.add(line);
                say = List.copyOf(early);
                early.clear();
            } else if (!line.isEmpty()) {
                lastWords = words ? line : lastWords;
                if (agent && marks.contains(BEGUN)) {
                    say = List.of(line);
                } else if (agent && early.size() < MOST_EARLY) {
                    early.add(line);
                }
            }
        }
        say.forEach(one -> says.accept(host + ": " + one));
        if (mark && line.equals(BEGUN)) {
            begun.countDown();
        }
    }

    private void finish(Thread errors) {
        boolean interrupted = false;
        int status = -1;
        try {
            errors.join();
            status = process.waitFor();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        ended.countDown();
        begun.countDown();
        if (agent && !ending.getAsBoolean() && heard(BEGUN) && status != 0) {
            says.accept(host + SshDeploy.ENDED + status + lastWords());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    boolean heard(String mark) {
        synchronized (marks) {
            return marks.contains(mark);
        }
    }

    /** Returns the last line of the session after a colon, or the empty string. */
    String lastWords() {
        synchronized (marks) {
            return lastWords.isEmpty() ? "" : ": " + lastWords;
        }
    }

    int status() {
        return process.isAlive() ? -1 : process.exitValue();
    }

    /** Waits until the agent begins or the session ends; returns false when neither happens in time. */
    boolean awaitBegin(long seconds) throws InterruptedException {
        return begun.await(seconds, TimeUnit.SECONDS);
    }

    OutputStream input() {
        return process.getOutputStream();
    }

    boolean awaitEnd(long nanos) throws InterruptedException {
        return ended.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** @throws IOException if the session is over; its last words say why */
    void give(byte[] bytes) throws IOException {
        try {
            OutputStream out = process.getOutputStream();
            out.write(bytes);
            out.flush();
        } catch (IOException e) {
            throw new IOException("the session ended" + lastWords(), e);
        }
    }

    void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException _) {
            // it is over already
        }
    }

    void kill() {
        process.destroy();
        try {
            if (!process.waitFor(KILL_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
