package io.brokermeter.trials.agents.deploy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Starts agents on other machines by the user's own {@code ssh}, with its configuration, and ends them again. On all machines at the same
 * time: compares the checksum of the copy that is there with that of this installation, copies the launcher and the jars when it differs,
 * removes older copies that are not in use except the newest, and runs an agent in the foreground of an ssh session, for as long as the
 * session lasts. When the session's standard input ends, because {@link #close} was called, because this process is gone however it ended,
 * or because the connection is lost, a shell on that machine ends the agent and removes the key.
 *
 * <p>The key is sent through the session's standard input and is on no command line. Nothing asks for a password: a host that needs one
 * fails. A signal of the terminal (Ctrl-C) does not reach the sessions, so that a run can end cleanly before its agents are ended.
 *
 * <p>A machine needs {@code sh}, {@code tar}, {@code base64}, {@code mktemp} and a Java that the launcher finds.
 */
public final class SshDeploy implements AutoCloseable {

    /**
     * A machine on which an agent is to run.
     *
     * @param destination the destination as ssh takes it: a name of its configuration, {@code host} or {@code user@host}
     * @param arguments arguments of the command {@code agent}, in addition to that for the key
     */
    public record Host(String destination, List<String> arguments) {

        public Host {
            arguments = List.copyOf(arguments);
        }
    }

    private static final int CONNECT_SECONDS = 10;
    private static final long SHORT_SECONDS = 40;
    private static final long COPY_SECONDS = 600;
    private static final long BEGIN_SECONDS = 40;
    private static final long END_SECONDS = 8;
    private static final int MOST_COPIES = 4;
    /** The number of older copies that stay on a host, for users who change from one version to another and back. */
    private static final int KEPT_BESIDE = 1;

    /** Follows the name of a host whose agent has ended. */
    public static final String ENDED = ": its agent ended with status ";

    /**
     * Sets the directory of the copies. Like all scripts here it contains no single quote: scripts are enclosed in single quotes, for
     * whatever shell the user has on the host.
     */
    private static final String CACHE = """
        base="${XDG_CACHE_HOME:-$HOME/.cache}/brokermeter/agents"
        """;

    private static final String LOOK = CACHE + """
        if [ "$(cat "$base/$1/sha256" 2>/dev/null)" = "$1" ]; then touch "$base/$1"; echo "HAVE"; else echo "NEED"; fi
        """.replace("HAVE", SshSession.HAVE).replace("NEED", SshSession.NEED);

    /**
     * Deletes copies, except the one that has just arrived, the one that was used last before it, and those that are in use, where shells
     * have left marks. A mark of another machine, with which this one shares the directory, counts as long as it is there.
     */
    private static final String PRUNE = """
        others=0
        for copy in $(ls -t "$base"); do
            [ "$copy" != "$1" ] && [ -f "$base/$copy/sha256" ] || continue
            others=$((others + 1))
            [ $others -gt KEPT ] || continue
            for mark in "$base/$copy"/.used.*; do
                [ -f "$mark" ] || continue
                [ "$(cat "$mark")" != "$(uname -n)" ] || kill -0 "${mark##*.}" 2>/dev/null && continue 2
            done
            rm -rf "$base/$copy"
        done
        find "$base" -name ".new.*" -prune -mtime +0 -exec rm -rf {} +
        exit 0
        """.replace("KEPT", Integer.toString(KEPT_BESIDE));

    private static final String UNPACK = CACHE + """
        umask 077
        mkdir -p "$base" && new=$(mktemp -d "$base/.new.XXXXXX") || exit 1
        trap "rm -rf \\"$new\\"" EXIT
        trap "exit 1" HUP INT TERM
        tar -xf - -C "$new" || exit 1
        [ "$(cat "$new/sha256" 2>/dev/null)" = "$1" ] || { echo "what came is not whole" >&2; exit 1; }
        [ -f "$base/$1/sha256" ] && exit 0
        rm -rf "$base/$1" && mv "$new" "$base/$1" || exit 1
        """ + PRUNE;

    /** Removes the keys of killed shells of this user and machine, which could not remove them. */
    private static final String SWEEP = """
        for old in "${TMPDIR:-/tmp}"/brokermeter-agent.*; do
            [ -d "$old" ] && [ ! -L "$old" ] && [ -O "$old" ] && [ -f "$old/owner" ] || continue
            read -r pid host < "$old/owner" || continue
            [ "$host" = "$(uname -n)" ] && ! kill -0 "$pid" 2>/dev/null && rm -rf "$old"
        done
        """;

    /** Runs the agent. The first line of the input is the key; the end of the input ends the agent. */
    private static final String RUN = CACHE + SWEEP + """
        umask 077
        tool=$base/$1/bin/brokermeter
        dir=$(mktemp -d "${TMPDIR:-/tmp}/brokermeter-agent.XXXXXX") || exit 1
        used=$base/$1/.used.$$
        trap "rm -rf \\"$dir\\" \\"$used\\"" EXIT
        trap "" HUP INT TERM
        uname -n > "$used"
        echo "$$ $(uname -n)" > "$dir/owner"
        shift
        IFS= read -r key && printf %s "$key" | base64 -d > "$dir/cluster.p12" && [ -s "$dir/cluster.p12" ] || {
            echo "the key did not arrive" >&2
            exit 1
        }
        unset key
        exec 3<&0
        echo "BEGUN"
        (trap - HUP INT TERM; exec "$tool" agent --key "$dir/cluster.p12" "$@") < /dev/null 3<&- &
        agent=$!
        (
            cat <&3 > /dev/null
            kill -TERM $agent
            for second in 1 2 3 4 5; do
                sleep 1
                kill -0 $agent || exit 0
            done
            kill -KILL $agent
        ) > /dev/null 2>&1 &
        guard=$!
        exec 3<&-
        wait $agent
        status=$?
        kill -KILL $guard 2>/dev/null
        exit $status
        """.replace("BEGUN", SshSession.BEGUN);

    private final List<String> ssh;
    private final Path home;
    private final Path key;
    private final Consumer<String> says;
    private final List<SshSession> sessions = new ArrayList<>();
    private final Semaphore copies = new Semaphore(MOST_COPIES);
    private Duration end = Duration.ofSeconds(END_SECONDS);
    private volatile boolean closed;

    /**
     * Creates an object that does nothing before {@link #start}.
     *
     * @param ssh the command, {@code ssh} with the options that its user wants
     * @param home the directory of this installation, with {@code bin} and {@code lib}
     * @param key file with the key of the cluster
     * @param says receives lines of agents after the name of their host, and how agents ended; called by any thread
     */
    public SshDeploy(List<String> ssh, Path home, Path key, Consumer<String> says) {
        this.ssh = List.copyOf(ssh);
        this.home = home;
        this.key = key;
        this.says = says;
    }

    /** Sets another longest wait for the ends of the agents; returns this object. */
    SshDeploy endingWithin(Duration other) {
        end = other;
        return this;
    }

    /**
     * Starts an agent on each host, all at the same time, and returns when each of them has begun or failed. An agent that has begun
     * listens some seconds later. A host takes at most {@value #SHORT_SECONDS} s to answer, {@value #COPY_SECONDS} s for a copy, of which
     * {@value #MOST_COPIES} are made at a time, and {@value #BEGIN_SECONDS} s to begin.
     *
     * @return a sentence for each host that has failed, with its name and ssh's last words; empty when all have begun
     * @throws IOException if this installation or the key cannot be read, or a host has no name that ssh could take
     */
    public List<String> start(List<Host> hosts) throws IOException, InterruptedException {
        for (Host host : hosts) {
            if (host.destination.isBlank() || host.destination.startsWith("-") || host.destination.chars().anyMatch(c -> c <= ' ')) {
                throw new IOException("'" + host.destination + "' is no host for ssh");
            }
        }
        InstallationArchive installed = InstallationArchive.in(home);
        String secret = Base64.getEncoder().encodeToString(Files.readAllBytes(key));
        List<String> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Host host : hosts) {
            threads.add(Thread.ofVirtual().name("ssh " + host.destination).start(() -> {
                String failure = started(host, installed, secret);
                if (failure != null) {
                    synchronized (failures) {
                        failures.add(host.destination + ": " + failure);
                    }
                }
            }));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            threads.forEach(Thread::interrupt);
            throw e;
        }
        synchronized (failures) {
            return failures.stream().sorted().toList();
        }
    }

    /**
     * Ends all agents that still run and waits for their ends, {@value #END_SECONDS} s at most and a little longer for those that do not
     * end.
     */
    @Override
    public void close() {
        List<SshSession> all;
        synchronized (sessions) {
            closed = true;
            all = List.copyOf(sessions);
        }
        all.forEach(SshSession::endInput);
        long until = System.nanoTime() + end.toNanos();
        boolean interrupted = false;
        for (SshSession session : all) {
            try {
                if (!interrupted && session.awaitEnd(until - System.nanoTime())) {
                    continue;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
            session.kill();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable String started(Host host, InstallationArchive installed, String secret) {
        try {
            String sum = installed.checksum();
            SshSession look = session(host, LOOK, List.of(sum), false);
            look.endInput();
            if (!look.awaitEnd(TimeUnit.SECONDS.toNanos(SHORT_SECONDS))) {
                look.kill();
                return "ssh did not answer within " + SHORT_SECONDS + " s" + look.lastWords();
            }
            if (!look.heard(SshSession.HAVE)) {
                if (!look.heard(SshSession.NEED)) {
                    return "ssh ended with status " + look.status() + look.lastWords();
                }
                String failure = copied(host, installed);
                if (failure != null) {
                    return failure;
                }
            }
            List<String> words = new ArrayList<>();
            words.add(sum);
            words.addAll(host.arguments);
            SshSession run = session(host, RUN, words, true);
            run.give((secret + "\n").getBytes(StandardCharsets.US_ASCII));
            if (!run.awaitBegin(BEGIN_SECONDS)) {
                run.kill();
                return "no agent began within " + BEGIN_SECONDS + " s" + run.lastWords();
            }
            if (!run.heard(SshSession.BEGUN)) {
                return "ssh ended with status " + run.status() + run.lastWords();
            }
            return null;
        } catch (IOException e) {
            return closed ? "it was ended before its agent began" : String.valueOf(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "it was ended before its agent began";
        }
    }

    private @Nullable String copied(Host host, InstallationArchive installed) throws IOException, InterruptedException {
        copies.acquire();
        try {
            SshSession copy = session(host, UNPACK, List.of(installed.checksum()), false);
            // a write to a machine that takes nothing would block for ever
            Thread limit = Thread.ofVirtual().start(() -> {
                try {
                    if (!copy.awaitEnd(TimeUnit.SECONDS.toNanos(COPY_SECONDS))) {
                        copy.kill();
                    }
                } catch (InterruptedException e) {
                    copy.kill();
                }
            });
            String broken = null;
            try {
                installed.writeTo(copy.input());
            } catch (IOException e) {
                broken = e.getMessage();
            }
            copy.endInput();
            limit.join();
            if (copy.status() != 0 || broken != null) {
                String words = copy.lastWords();
                return "the copy of the tool failed" + (words.isEmpty() ? ": " + broken : words);
            }
            return null;
        } finally {
            copies.release();
        }
    }

    private SshSession session(Host host, String script, List<String> words, boolean agent) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        command.addAll(ssh);
        command.addAll(List.of("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=" + CONNECT_SECONDS, "-o", "ServerAliveInterval=5",
            "-o", "ServerAliveCountMax=3", "--", host.destination));
        StringBuilder remote = new StringBuilder("exec sh -c '").append(script).append("' sh");
        for (String word : words) {
            remote.append(" '").append(word.replace("'", "'\\''")).append('\'');
        }
        command.add(remote.toString());
        synchronized (sessions) {
            if (closed) {
                throw new IOException("it was ended before its agent began");
            }
            SshSession session = new SshSession(host.destination, new ProcessBuilder(command).start(), agent, says, () -> closed);
            sessions.add(session);
            return session;
        }
    }
}
