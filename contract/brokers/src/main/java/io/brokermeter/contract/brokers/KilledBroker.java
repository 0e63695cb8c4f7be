package io.brokermeter.contract.brokers;

import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.Victim;
import io.brokermeter.hosts.DataDirectory;

/** A broker for a single test, with a directory of its own in which it can be started again after it was killed. */
abstract class KilledBroker implements Victim {

    private final BrokerName name;
    private final BrokerOptions options;
    private final Path directory;
    private volatile Broker running;

    KilledBroker(BrokerName name, BrokerOptions options, boolean restarts) throws Exception {
        this.name = name;
        this.options = options;
        this.directory = Files.createTempDirectory("contract");
        // No other process may take the port while the broker is down.
        this.running = start(name, options.withDirectory(directory), restarts ? FreePorts.one() : 0);
    }

    private static Broker start(BrokerName name, BrokerOptions options, int port) throws BrokerException {
        return Broker.start(name, options.withPort(port));
    }

    final Broker broker() {
        return running;
    }

    @Override
    public void kill() {
        running.kill();
    }

    @Override
    public void startAgain() throws Exception {
        running = start(name, options.withDirectory(directory), running.port());
    }

    @Override
    public void close() {
        running.close();
        DataDirectory.delete(directory);
    }
}
