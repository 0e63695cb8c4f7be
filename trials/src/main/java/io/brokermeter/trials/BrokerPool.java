package io.brokermeter.trials;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerOptions.Login;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.spi.parameter.Secret;
import org.jspecify.annotations.Nullable;

/**
 * The broker of the current run or trial. There is at most one at a time; a new one is started when the choice asks for a new one or
 * differs from the last.
 */
public final class BrokerPool implements AutoCloseable {

    /** The user of a broker that other machines can reach. */
    private static final String USER = "brokermeter";
    private static final int SECRET_BYTES = 24;

    private @Nullable Broker broker;
    private @Nullable BrokerChoice choice;
    private volatile @Nullable Login login;
    private boolean closed;
    private boolean began;

    /**
     * Returns a broker for a trial; starts one unless the last one may be used again.
     *
     * @throws BrokerException when the broker does not start
     * @throws InterruptedException when the thread was interrupted; this object starts no broker any more
     * @throws io.brokermeter.engine.scenario.UsageException for a version or a property that the broker does not have
     */
    public Broker running(BrokerChoice wanted, Consumer<String> progress) throws BrokerException, InterruptedException {
        Broker last = broker;
        if (last != null && wanted.equals(choice) && wanted.fresh() == BrokerChoice.Fresh.SWEEP && last.isAlive()) {
            return last;
        }
        end();
        Broker started = start(Throwaway.of(wanted), progress);
        choice = wanted;
        began = false;
        return started;
    }

    /** Returns whether no trial has run on the broker so far; the caller's is the first. */
    public boolean begins() {
        boolean first = !began;
        began = true;
        return first;
    }

    /** Starts a broker, with the same exceptions as {@link #running}. */
    Broker start(Throwaway asked, Consumer<String> progress) throws BrokerException, InterruptedException {
        Login made = asked.options().address().isEmpty() ? null : new Login(USER, secret());
        login = made;
        Throwaway wanted = made == null ? asked
            : new Throwaway(asked.name(), asked.options().withLogin(made.user(), made.password()), asked.isKept());
        // Fetching ignores interrupts, so its thread is left behind when the caller is interrupted.
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

    /** Returns a random password that consists of letters, digits, {@code -} and {@code _} only. */
    private static Secret secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return Secret.of(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    /**
     * Returns a function from a protocol to the URL at which the broker that was started last serves it, with the login that was made for
     * the broker; without a broker, to the default URL. The text is secret.
     */
    public UnaryOperator<String> urls(Drivers drivers, @Nullable Broker started) {
        Login made = login;
        if (started == null) {
            return drivers::localUrl;
        }
        return protocol -> {
            String url = started.urls().get(protocol);
            if (url == null) {
                throw new UsageException(started.title() + " " + started.name().version().orElse("") + " as it runs here serves "
                    + String.join(", ", started.urls().keySet()) + ", but not " + protocol + ".");
            }
            return made == null ? url : url.replaceFirst("://", "://" + made.user() + ":" + made.password().reveal() + "@");
        };
    }

    /** Ends the broker if it belongs to the trial that is over now. */
    public void trialEnded() {
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

    /** Ends the broker, even one that is just being started. Any thread may call this. */
    @Override
    public synchronized void close() {
        closed = true;
        end();
    }
}
