package io.brokermeter.driver.kafka.direct;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.driver.kafka.link.LinkSettings;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.ConnectionSettings;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** What tests of this path share. */
final class DirectFixtures {

    private DirectFixtures() {}

    /** Returns Kafka's default settings, changed by pairs of names and values. */
    static DirectSettings settings(String... changes) {
        return from(null, changes);
    }

    /** Returns such settings for connections from an address; null for that which the system chooses. */
    static DirectSettings from(@Nullable String source, String... changes) {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", "localhost:1", "client.id", "test",
            "key.serializer", ByteArraySerializer.class, "value.serializer", ByteArraySerializer.class));
        for (int i = 0; i < changes.length; i += 2) {
            config.put(changes[i], changes[i + 1]);
        }
        var read = new ProducerConfig(config);
        return DirectSettings.of(read, LinkSettings.of(read,
            new ConnectionSettings("kafka://h", null, null, null, Duration.ofSeconds(30)).withSource(source), Optional.empty(),
            TlsNames.OWN));
    }

    /** Keeps what is written. */
    static class Written implements Wire {

        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public int read(ByteBuffer into) throws IOException {
            return -1;
        }

        @Override
        public void write(ByteBuffer from) {
            while (from.hasRemaining()) {
                bytes.write(from.get());
            }
        }

        @Override
        public void end() {}

        @Override
        public void close() {}
    }
}
