package io.brokermeter.driver.nats;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.Destination;
import io.nats.client.Connection;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;

/** A NATS server with JetStream. */
final class NatsBroker extends ThrowawayBroker {

    private static final String PASSWORD = "correct horse";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    NatsBroker() {
        super(new NatsDriver(), "nats", "nats://HOST:PORT");
        login(PASSWORD).killing("nats").several("nats://", "", "");
    }

    /** Connects with the client alone; its default timeout of 2 s is too short for a server on a busy machine. */
    static Connection plain(String url) throws IOException, InterruptedException {
        return Nats.connect(new Options.Builder().server(url).userInfo(USER.toCharArray(), PASSWORD.toCharArray())
            .connectionTimeout(PATIENCE).build());
    }

    static JetStreamManagement management(Connection connection) throws IOException {
        return connection.jetStreamManagement(JetStreamOptions.builder().requestTimeout(PATIENCE).build());
    }

    /** Creates a stream that rejects messages beyond 200. */
    @Override
    public Optional<Callable<Destination>> refusing(Destination fresh) {
        return Optional.of(() -> {
            try (var connection = plain(broker().url())) {
                management(connection).addStream(StreamConfiguration.builder()
                    .name(fresh.name().replaceAll("[^A-Za-z0-9_-]", "_")).subjects(fresh.name())
                    .retentionPolicy(RetentionPolicy.WorkQueue).maxMessages(200).discardPolicy(DiscardPolicy.New).build());
            }
            return fresh;
        });
    }
}
