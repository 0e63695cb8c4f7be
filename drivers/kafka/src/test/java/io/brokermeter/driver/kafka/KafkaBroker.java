package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.BrokerTrait.ENDS_BY_A_CUT;
import static io.brokermeter.contract.BrokerTrait.TRUSTS_ALL;

import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.FaultProxy;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsFront;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker, which advertises its address to clients. It therefore has additional listeners that advertise another port, on which
 * a wire or a TLS front of a test accepts connections. Each is used by one test at a time.
 */
final class KafkaBroker extends ThrowawayBroker {

    private static final String PASSWORD = "correct \"horse";
    private static final String JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"meter\" "
        + "password=\"correct \\\"horse\" user_meter=\"correct \\\"horse\";";
    /** The number of those listeners: more than concurrent tests, since another process may occupy a port and some tests use two. */
    private static final int PLACES = 10;

    private static final int[] PORTS = FreePorts.some(2 + 2 * PLACES);
    private static final BlockingQueue<Place> FREE = new LinkedBlockingQueue<>();

    static {
        for (int i = 0; i < PLACES; i++) {
            FREE.add(new Place(PORTS[2 + 2 * i], PORTS[3 + 2 * i]));
        }
    }

    static final KafkaBroker SHARED = new KafkaBroker();
    /** The same broker, with Kafka's client for everything. */
    static final KafkaBroker CLIENT = new KafkaBroker();

    static {
        CLIENT.parameter("transport", "client");
    }

    /** The port {@code behind} on which a listener accepts connections, and the port {@code front} that it advertises. */
    private record Place(int behind, int front) {}

    private KafkaBroker() {
        super(new KafkaDriver(), "kafka", "kafka://HOST:PORT");
        login(PASSWORD).timeout(Duration.ofSeconds(30)).without(TRUSTS_ALL, ENDS_BY_A_CUT).killing("kafka").restarting()
            .several("kafka://", "", "")
            .reconnecting("kafka://HOST:PORT", Map.of("reconnect-timeout", "60")).refusedTls("kafka://HOST:PORT?security.protocol=SSL")
            .tls("kafka://HOST:PORT", KafkaBroker::certificates);
        String clients = "CLIENTS://127.0.0.1:" + PORTS[0];
        StringBuilder listeners = new StringBuilder(clients + ",CONTROLLER://127.0.0.1:" + PORTS[1]);
        StringBuilder advertised = new StringBuilder(clients);
        StringBuilder protocols = new StringBuilder("CLIENTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT");
        for (int i = 0; i < PLACES; i++) {
            listeners.append(",PROXY").append(i).append("://127.0.0.1:").append(PORTS[2 + 2 * i]);
            advertised.append(",PROXY").append(i).append("://localhost:").append(PORTS[3 + 2 * i]);
            protocols.append(",PROXY").append(i).append(":SASL_PLAINTEXT");
            String name = "listener.name.proxy" + i;
            with(options -> options.withProperty(name + ".plain.sasl.jaas.config", JAAS));
        }
        with(options -> options.withPort(PORTS[0]).withProperty("listeners", listeners.toString())
            .withProperty("advertised.listeners", advertised.toString())
            .withProperty("listener.security.protocol.map", protocols.toString())
            .withProperty("controller.quorum.voters", "1@127.0.0.1:" + PORTS[1])
            .withProperty("group.min.session.timeout.ms", "1000"));
    }

    /** Uses a shorter timeout for answers, since tests hold them back on this path and a close waits for them. */
    @Override
    public ConnectionSettings settings(String host, int port) {
        var all = super.settings(host, port);
        return new ConnectionSettings(all.url(), all.user(), all.password(), null, Duration.ofSeconds(20), all.properties());
    }

    @Override
    public ConnectionSettings spreading() {
        return settings().withProperty("partition", "round-robin");
    }

    /** Kafka's client, which does a part of each connection's work, takes no address; {@link KafkaOwnPathTest} tells what does. */
    @Override
    public boolean takesSource() {
        return false;
    }

    @Override
    public FaultProxy proxy() throws Exception {
        broker();
        return atFreePlace(place -> new FaultProxy(new InetSocketAddress("127.0.0.1", place.behind), place.front, () -> FREE.add(place)));
    }

    @Override
    public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        broker();
        return atFreePlace(place -> {
            var front = new TlsFront(identity, clients, place.behind, place.front);
            return Listener.of(place.front, () -> {
                front.close();
                FREE.add(place);
            });
        });
    }

    private interface Opening<T> {

        T at(Place place) throws Exception;
    }

    /** Opens something at a place; tries another one if a different process has occupied the port since it was chosen. */
    private <T> T atFreePlace(Opening<T> opening) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            Place place = FREE.take();
            try {
                return opening.at(place);
            } catch (BindException e) {
                FREE.add(place);
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    /** Declares a topic that accepts messages of at most 100 kB. */
    @Override
    public Optional<Callable<Bounded>> bounded(Destination fresh) {
        return Optional.of(() -> {
            var small = settings().withProperty("topic-config", "max.message.bytes=100000");
            try (var connection = driver().connect(small, new ConnectionLog())) {
                connection.declare(fresh);
            }
            return new Bounded(fresh, 200_000);
        });
    }

    @Override
    public Optional<Callable<?>> foreign(Destination destination) {
        return Optional.of(() -> {
            var config = new HashMap<String, Object>(KafkaSettings.of(driver(), settings()).clients().producer());
            try (var client = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
                // null is the only value that does not consist of bytes
                return client.send(new ProducerRecord<>(destination.name(), 0, new byte[] {1}, null));
            }
        });
    }

    private static Map<String, String> certificates(Wish wish) {
        Map<String, String> parameters = new HashMap<>();
        parameters.put("security.protocol", "SASL_SSL");
        if (wish.trustStore() != null) {
            parameters.put("ssl.truststore.location", wish.trustStore().toString());
            parameters.put("ssl.truststore.password", CertificateAuthority.PASSWORD);
        }
        if (wish.keyStore() != null) {
            parameters.put("ssl.keystore.location", wish.keyStore().toString());
            parameters.put("ssl.keystore.password", CertificateAuthority.PASSWORD);
        }
        if (wish.anyHost()) {
            parameters.put("ssl.endpoint.identification.algorithm", "");
        }
        return parameters;
    }
}
