package io.brokermeter.trials;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.experiment.BrokerChoice;
import org.jspecify.annotations.Nullable;

/** The broker of the run or trial that is under way: one at a time, a new one when the choice says so or is another one. */
final class BrokerPool implements AutoCloseable {

    private @Nullable Broker broker;
    private @Nullable BrokerChoice choice;
    private boolean closed;

    /**
     * The broker for a trial; starts one unless the last one may be used again.
     *
     * @throws BrokerException when it does not start
     * @throws InterruptedException when the thread was interrupted; no broker is started by this object any more
     * @throws io.brokermeter.engine.scenario.UsageException for a version or a property that the broker has not
     */
    Broker running(BrokerChoice wanted, Consumer<String> progress) throws BrokerException, InterruptedException {
        Broker last = broker;
        if (last != null && wanted.equals(choice) && wanted.fresh() == BrokerChoice.Fresh.SWEEP && last.isAlive()) {
            return last;
        }
        end();
        Broker started = start(Throwaway.of(wanted), progress);
        choice = wanted;
        return started;
    }

    /** Starts a broker, with the same exceptions. */
    Broker start(Throwaway wanted, Consumer<String> progress) throws BrokerException, InterruptedException {
        // Fetching hears no interrupt, so it is left behind when somebody wants an end.
        FutureTask<Broker> starting = new FutureTask<>(() -> {
            Broker started = wanted.start(progress);
            synchronized (this) {
                broker = started;
                if (closed) {
                    end();
                }
            }
            return started;
        });
        Thread.ofPlatform().daemon().name("brokermeter-broker-start").start(starting);
        try {
            return starting.get();
        } catch (InterruptedException e) {
            close();
            throw e;
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case BrokerException known -> throw known;
                case RuntimeException known -> throw known;
                case Error known -> throw known;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /** A trial is over: a broker of its own ends with it. */
    void trialEnded() {
        BrokerChoice last = choice;
        if (last != null && last.fresh() == BrokerChoice.Fresh.TRIAL) {
            end();
        }
    }

    private synchronized void end() {
        Broker last = broker;
        if (last != null) {
            last.close();
            broker = null;
            choice = null;
        }
    }

    /** Any thread may close it; a broker that is just being started ends, too. */
    @Override
    public synchronized void close() {
        closed = true;
        end();
    }
}
