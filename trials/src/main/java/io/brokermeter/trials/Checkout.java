package io.brokermeter.trials;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * The commit of the current directory, as {@code git} reports it: {@code commit}, {@code branch} unless it is detached, and
 * {@code changes}, whether tracked files differ from the commit. Git is started while the run is prepared and has ended before the load
 * begins: it never runs beside a measurement.
 */
public final class Checkout {

    /** The key of the commit in the files of runs and sweeps. */
    public static final String KEY = "git";

    /** A checkout that is unknown, since git is not called. */
    public static final Checkout NONE = new Checkout(null);

    /**
     * The longest wait for git, in milliseconds. It may need some seconds where the checkout is large or the machine is busy, and a run whose
     * commit is missing cannot be found by it later.
     */
    private static final long LIMIT_MILLIS = 30_000;

    private final @Nullable Process git;
    private final CompletableFuture<Map<String, @Nullable Object>> answer = new CompletableFuture<>();

    private Checkout(@Nullable Process git) {
        this.git = git;
        if (git == null) {
            answer.complete(Map.of());
        } else {
            Thread.ofPlatform().daemon().name("brokermeter-git").start(() -> answer.complete(read(git)));
        }
    }

    /** Starts git, if it is installed. */
    public static Checkout begin() {
        // Nothing that the checkout configures is run, and its index stays as it is.
        ProcessBuilder builder = new ProcessBuilder("git", "--no-optional-locks", "-c", "core.fsmonitor=false", "status", "--porcelain=v2",
            "--branch", "--untracked-files=no", "--ignore-submodules=dirty").redirectError(ProcessBuilder.Redirect.DISCARD);
        try {
            Process git = builder.start();
            git.getOutputStream().close();
            return new Checkout(git);
        } catch (IOException e) {
            return NONE;
        }
    }

    /**
     * Waits for the answer of git. Empty when there is no git, the directory is in no checkout, or git took longer than 30 s and was ended.
     */
    public Optional<Map<String, @Nullable Object>> await() {
        try {
            return Optional.of(answer.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS)).filter(found -> !found.isEmpty());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        } finally {
            if (git != null) {
                git.destroyForcibly();
            }
        }
    }

    private static Map<String, @Nullable Object> read(Process git) {
        Map<String, @Nullable Object> found = new LinkedHashMap<>();
        boolean changes = false;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(git.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null && !changes; line = lines.readLine()) {
                if (line.startsWith("# branch.oid ") && !line.endsWith("(initial)")) {
                    found.put("commit", line.substring(13));
                } else if (line.startsWith("# branch.head ") && !line.endsWith("(detached)")) {
                    found.put("branch", line.substring(14));
                }
                changes |= !line.startsWith("#");
            }
            // One change is enough; without any, git must have looked at everything.
            if (!changes && git.waitFor() != 0) {
                return Map.of();
            }
        } catch (IOException e) {
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
        if (!found.containsKey("commit")) {
            return Map.of();
        }
        found.put("changes", changes);
        return found;
    }
}
