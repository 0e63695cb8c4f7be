package io.brokermeter.engine.run.connect;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;

/** The threads that poll for consumers whose clients have no threads of their own. Safe for use by several threads. */
public final class Polling {

    private static final long SOON = 1_000_000_000L;

    private final Clock clock;
    private final List<Poller> pollers = new CopyOnWriteArrayList<>();

    public Polling(Clock clock) {
        this.clock = clock;
    }

    /** A thread that polls for one consumer. */
    final class Poller {

        private volatile boolean stop;
        private final Thread thread;

        private Poller(Consumer consumer, int number, DeliveryListener listener) {
            thread = clock.start("brokermeter-consumer-" + number, () -> {
                try {
                    while (!stop) {
                        consumer.poll(Duration.ofMillis(100));
                    }
                } catch (Exception | Error e) {
                    if (!stop) {
                        listener.failed(e);
                    }
                }
            });
        }

        /** Ends the thread after its current poll. */
        void stop() {
            stop = true;
            pollers.remove(this);
        }
    }

    /** Starts a thread that polls for a consumer, if the consumer needs polling. */
    void start(Consumer consumer, int number, DeliveryListener listener, java.util.function.Consumer<Poller> started) {
        if (consumer.needsPolling()) {
            Poller poller = new Poller(consumer, number, listener);
            pollers.add(poller);
            started.accept(poller);
        }
    }

    /** Stops all threads, and waits at most one second until they have ended. */
    public void stopAll() {
        List<Poller> all = List.copyOf(pollers);
        all.forEach(Poller::stop);
        long end = clock.nanos() + SOON;
        for (Poller poller : all) {
            clock.join(poller.thread, end - clock.nanos());
        }
    }
}
