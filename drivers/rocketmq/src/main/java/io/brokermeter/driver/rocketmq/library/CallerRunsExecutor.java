package io.brokermeter.driver.rocketmq.library;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Runs each task on the thread that submits it. The client passes sends and callbacks to thread pools, which costs two thread switches per
 * message and loses the order of a producer's messages.
 */
public final class CallerRunsExecutor extends AbstractExecutorService {

    private static final Future<?> DONE = CompletableFuture.completedFuture(null);

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public Future<?> submit(Runnable task) {
        task.run();
        return DONE;
    }

    @Override
    public void shutdown() {
        // no task ever waits here
    }

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long limit, @Nullable TimeUnit unit) {
        return true;
    }
}
