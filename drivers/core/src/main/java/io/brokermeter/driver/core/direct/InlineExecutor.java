package io.brokermeter.driver.core.direct;

import java.util.concurrent.Executor;

import org.apache.activemq.artemis.utils.actors.ProcessorBase;

/**
 * The client's thread pool with a shortcut: work that a {@link ReaderThread} asks for while it handles a delivery or a
 * confirmation that its consumer or producer allows to be handled there runs at once on that thread.
 *
 * <p>Only the draining of an ordered executor is run so, since that alone leads to message listeners and completion
 * listeners. Whatever else the client hands over, closing, failing and reconnecting among it, may wait for an answer
 * that the reader would have to read, and goes to the pool.
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
