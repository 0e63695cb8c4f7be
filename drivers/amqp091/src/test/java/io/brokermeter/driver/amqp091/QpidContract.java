package io.brokermeter.driver.amqp091;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.api.BeforeAll;

/** Qpid Broker-J starts fast enough to be killed by tests. */
abstract class QpidContract extends Amqp091Contract {

    @BeforeAll
    static void startBroker() throws Exception {
        SharedBroker.of("qpid");
    }

    private final boolean reconnects;

    QpidContract(String transport) {
        super("qpid", transport);
        // what connects again is the client library, so once is enough
        this.reconnects = transport.equals("client");
    }

    /** It goes on with the consumer that is ready, as long as that takes all. */
    @Override
    protected boolean sharesShortRuns() {
        return false;
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        return Optional.of(new QpidVictim(Files.createTempDirectory("contract")));
    }

    private final class QpidVictim implements Victim {

        private final Path directory;
        private Broker running;

        QpidVictim(Path directory) throws Exception {
            this.directory = directory;
            this.running = start(0);
        }

        private Broker start(int port) throws Exception {
            return Broker.start(BrokerName.parse("qpid"), BrokerOptions.defaults().withHeap("300m").withPort(port)
                .withDirectory(directory).withLogin(SharedBroker.USER, SharedBroker.PASSWORD));
        }

        @Override
        public ConnectionSettings settings() {
            return withUrl("amqp091://127.0.0.1:" + running.port());
        }

        @Override
        public ConnectionSettings reconnecting() {
            return QpidContract.this.reconnecting("127.0.0.1", running.port()).orElseThrow();
        }

        @Override
        public void kill() {
            running.kill();
        }

        @Override
        public boolean startAgain() throws Exception {
            if (!reconnects) {
                return false;
            }
            running = start(running.port());
            return true;
        }

        @Override
        public void close() {
            running.close();
            try (var files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
