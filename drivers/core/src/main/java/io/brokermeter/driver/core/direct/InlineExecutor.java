package io.brokermeter.driver.core.direct;

import java.util.concurrent.Executor;

import org.apache.activemq.artemis.utils.actors.ProcessorBase;

/**
 * The client's thread pool with a shortcut: a task that a {@link ReaderThread} submits while it handles a delivery or a confirmation runs
 * at once on that thread, if the consumer or producer concerned allows that.
 *
 * <p>Only the draining of an ordered executor runs in this way, since only that leads to message listeners and completion listeners. All
 * other tasks of the client, including closing, failing and reconnecting, may wait for an answer that the reader would have to read, and
 * are passed to the pool.
 */
final class InlineExecutor implements Executor {

    private static final String DRAIN = ProcessorBase.class.getName();

    private static final ClassValue<Boolean> DRAINS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.getName().startsWith(DRAIN);
        }
    };

    private final Executor pool;
    private volatile Class<?> drain = Void.class;

    InlineExecutor(Executor pool) {
        this.pool = pool;
    }

    @Override
    public void execute(Runnable task) {
        if (Thread.currentThread() instanceof ReaderThread reader && reader.mayRunInline() && drains(task.getClass())) {
            task.run();
        } else {
            pool.execute(task);
        }
    }

    private boolean drains(Class<?> type) {
        if (type == drain) {
            return true;
        }
        if (DRAINS.get(type)) {
            drain = type;
            return true;
        }
        return false;
    }
}
