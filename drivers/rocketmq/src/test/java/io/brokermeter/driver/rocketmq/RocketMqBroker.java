package io.brokermeter.driver.rocketmq;

import static io.brokermeter.contract.BrokerTrait.EMPTY_BODIES;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsFront;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/** A name server and a broker. Clients reach the name server directly, and the broker through wires of tests. */
final class RocketMqBroker extends ThrowawayBroker {

    static final RocketMqBroker SHARED = new RocketMqBroker();

    /** The broker's limit for the size of a message in bytes; that of the client is twice as large. */
    private static final int LARGEST = 2 << 20;

    /** The port of the TLS front before the broker, by the port of the TLS front before the name server. */
    private final Map<Integer, Integer> fronts = new ConcurrentHashMap<>();

    private RocketMqBroker() {
        super(new RocketMqDriver(), "rocketmq", "rocketmq://HOST:PORT");
        with(RocketMqBroker::patient).victims(RocketMqBroker::patient).killing("rocketmq").without(EMPTY_BODIES)
            .tls("rocketmq://HOST:PORT", Wish::parameters).several("rocketmq://", "", "");
    }

    /** Returns the address of the name server. */
    @Override
    protected String entrance() {
        return broker().url().replaceAll(".*/", "");
    }

    /**
     * Returns options with limits that a busy machine can keep: by default the broker refuses messages that have waited for 200 ms, ends of
     * transactions and requests of administrators that have waited for 3 s, and all messages after a write that took one second.
     */
    static BrokerOptions unhurried(BrokerOptions options) {
        return options.withHeap("400m").withProperty("waitTimeMillsInSendQueue", "30000")
            .withProperty("waitTimeMillsInTransactionQueue", "30000").withProperty("waitTimeMillsInAdminBrokerQueue", "30000")
            .withProperty("osPageCacheBusyTimeOutMills", "30000");
    }

    private static BrokerOptions patient(BrokerOptions options) {
        return unhurried(options)
            // With more threads the broker itself may reorder messages that are sent asynchronously.
            .withProperty("sendMessageThreadPoolNums", "1").withProperty("endTransactionThreadPoolNums", "1")
            // From this time after a transaction on, TransactionalOpBatchService of 5.5.0 goes round without a pause and takes a whole core.
            // What it writes in batches is written at once.
            .withProperty("transactionOpBatchInterval", "3600000").withProperty("transactionOpMsgMaxSize", "1")
            .withProperty("maxMessageSize", Integer.toString(LARGEST));
    }

    @Override
    protected ConnectionSettings to(Broker other) {
        return withUrl(other.url());
    }

    /**
     * Uses timeouts for answers that a busy machine can keep. The default is 3 s for sends and also for heartbeats and similar requests,
     * after which the client closes the connection although sends are pending on it.
     */
    @Override
    public ConnectionSettings settings() {
        return inNoHurry(to(broker()));
    }

    private static ConnectionSettings inNoHurry(ConnectionSettings settings) {
        return settings.withProperty("sendMsgTimeout", "30000").withProperty("mqClientApiTimeout", "30000");
    }

    /**
     * Uses a shorter timeout for answers to sends, and the client's defaults for other requests, since tests hold answers back on this path
     * and a close waits for them.
     */
    @Override
    public ConnectionSettings settings(String host, int port) {
        return to(broker()).withProperty("sendMsgTimeout", "10000")
            .withProperty("broker-address", "127.0.0.1:" + port() + "=" + host + ":" + port);
    }

    @Override
    public Optional<Callable<ConnectionSettings>> reconnecting(String host, int port) {
        return Optional.of(() -> settings(host, port).withProperty("reconnect", "true"));
    }

    @Override
    protected ConnectionSettings reconnecting(Broker other) {
        return to(other).withProperty("reconnect", "true");
    }

    /** The default precision of the broker's timers. */
    @Override
    public long delayStepMillis() {
        return 1000;
    }

    @Override
    public ConnectionSettings spreading() {
        return settings().withProperty("queue-selection", "round-robin");
    }

    @Override
    public Optional<Callable<Bounded>> bounded(Destination fresh) {
        return Optional.of(() -> new Bounded(fresh, LARGEST + LARGEST / 2));
    }

    @Override
    public String selector() {
        return "colour = 'red' AND shape STARTSWITH 'r'";
    }

    @Override
    public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        TlsFront first = new TlsFront(identity, clients, Integer.parseInt(broker().url().replaceAll(".*:", "")));
        TlsFront second = new TlsFront(identity, clients, port());
        fronts.put(first.port(), second.port());
        return Listener.of(first.port(), () -> {
            first.close();
            second.close();
        });
    }

    @Override
    public ConnectionSettings settings(String host, int port, Wish wish) {
        return inNoHurry(super.settings(host, port, wish)).withProperty("useTLS", "true")
            .withProperty("broker-address", "127.0.0.1:" + port() + "=" + host + ":" + fronts.get(port));
    }
}
