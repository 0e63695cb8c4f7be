package io.brokermeter.trials;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.brokermeter.reports.document.EnvironmentDocument.Git;
import org.jspecify.annotations.Nullable;

/**
 * The commit of the current directory, as {@code git} reports it. Git is started while the run is prepared and has ended before the load
 * begins: it never runs beside a measurement.
 */
public final class Checkout {

    /** A checkout that is unknown, since git is not called. */
    public static final Checkout NONE = new Checkout(null);

    /**
     * The longest wait for git, in milliseconds. It may need some seconds where the checkout is large or the machine is busy, and a run whose
     * commit is missing cannot be found by it later.
     */
    private static final long LIMIT_MILLIS = 30_000;

    private final @Nullable Process git;
    private final CompletableFuture<Optional<Git>> answer = new CompletableFuture<>();

    private Checkout(@Nullable Process git) {
        this.git = git;
        if (git == null) {
            answer.complete(Optional.empty());
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
    public Optional<Git> await() {
        try {
            return answer.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
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

    private static Optional<Git> read(Process git) {
        String commit = "";
        String branch = null;
        boolean changes = false;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(git.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null && !changes; line = lines.readLine()) {
                if (line.startsWith("# branch.oid ") && !line.endsWith("(initial)")) {
                    commit = line.substring(13);
                } else if (line.startsWith("# branch.head ") && !line.endsWith("(detached)")) {
                    branch = line.substring(14);
                }
                changes |= !line.startsWith("#");
            }
            // One change is enough; without any, git must have looked at everything.
            if (!changes && git.waitFor() != 0) {
                return Optional.empty();
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        return commit.isEmpty() ? Optional.empty() : Optional.of(new Git(commit, branch, changes));
    }
}
