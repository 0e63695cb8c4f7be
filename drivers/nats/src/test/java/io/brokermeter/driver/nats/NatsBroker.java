package io.brokermeter.driver.nats;

import java.util.Optional;

import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.Destination;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.DiscardPolicy;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;

/** A NATS server with JetStream. */
final class NatsBroker extends ThrowawayBroker {

    private static final String PASSWORD = "correct horse";

    NatsBroker() {
        super(new NatsDriver(), "nats", "nats://HOST:PORT");
        login(PASSWORD).killing("nats");
    }

    /** A stream of 200 messages that refuses the next one. */
    @Override
    public Optional<Destination> refusing(Destination fresh) throws Exception {
        var options = new Options.Builder().server(broker().url()).userInfo(USER.toCharArray(), PASSWORD.toCharArray()).build();
        try (var connection = Nats.connect(options)) {
            connection.jetStreamManagement().addStream(StreamConfiguration.builder()
                .name(fresh.name().replaceAll("[^A-Za-z0-9_-]", "_")).subjects(fresh.name())
                .retentionPolicy(RetentionPolicy.WorkQueue).maxMessages(200).discardPolicy(DiscardPolicy.New).build());
        }
        return Optional.of(fresh);
    }
}
