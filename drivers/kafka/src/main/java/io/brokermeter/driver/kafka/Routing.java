package io.brokermeter.driver.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.brokermeter.driver.kafka.direct.Routes;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.jspecify.annotations.Nullable;

/** Where the messages of one producer go: their partitions in turn, and their keys. */
final class Routing {

    private final @Nullable Integer[] turns;
    private final byte[] @Nullable [] keys;
    private final boolean keyOfVariant;

    private Routing(@Nullable Integer[] turns, byte[] @Nullable [] keys, boolean keyOfVariant) {
        this.turns = turns;
        this.keys = keys;
        this.keyOfVariant = keyOfVariant;
    }

    /**
     * @param count number of partitions of the topic
     * @param number number of this producer among those of its topic, from 0
     * @throws IllegalArgumentException with one sentence for the user, if the settings of key and partition cannot be met
     */
    static Routing of(KafkaSettings settings, String topic, ProducerSettings producer, int count, int number) {
        List<MessageVariant> variants = producer.variants();
        boolean grouped = variants.stream().anyMatch(variant -> variant.group() != null);
        List<String> texts = settings.keys();
        if (grouped && !texts.isEmpty()) {
            throw new IllegalArgumentException(
                "A message group is the key of a message for protocol KAFKA; give either a group or the parameter key.");
        }
        byte[] @Nullable [] keys = new byte[grouped ? variants.size() : Math.max(1, texts.size())][];
        for (int i = 0; i < keys.length; i++) {
            String text = grouped ? variants.get(i).group() : i < texts.size() ? texts.get(i) : null;
            keys[i] = text == null ? null : text.getBytes(StandardCharsets.UTF_8);
        }
        @Nullable Integer[] turns = turns(settings, topic, grouped || !texts.isEmpty(), count, number);
        return new Routing(turns, keys, grouped);
    }

    private static @Nullable Integer[] turns(KafkaSettings settings, String topic, boolean keyed, int count, int number) {
        if (settings.fixedPartition().isPresent()) {
            int fixed = settings.fixedPartition().get();
            if (fixed >= count) {
                throw new IllegalArgumentException("Topic " + topic + " has no partition " + fixed + "; it has " + count
                    + ", numbered from 0: change the parameter partition.");
            }
            return new Integer[] {fixed};
        }
        String word = settings.partition().isEmpty() ? (keyed || settings.namesPartitioner() ? KafkaSettings.ANY : "producer")
            : settings.partition();
        return switch (word) {
            case KafkaSettings.ANY -> new Integer[1];
            case "round-robin" -> {
                @Nullable Integer[] all = new Integer[count];
                Arrays.setAll(all, p -> p);
                yield all;
            }
            default -> new Integer[] {number % count};
        };
    }

    /** Returns the partitions that messages go to in turn; a single null to let the partitioner choose. */
    @Nullable Integer[] turns() {
        return turns;
    }

    /** Returns the keys, null for none. */
    byte[] @Nullable [] keys() {
        return keys;
    }

    /** Returns whether the variant of a message selects the key, rather than the token. */
    boolean keyOfVariant() {
        return keyOfVariant;
    }

    /** Returns the same for brokermeter's own path. */
    Routes direct(int count, ProducerSettings producer) {
        return new Routes(count, Arrays.stream(turns).filter(Objects::nonNull).mapToInt(Integer::intValue).toArray(), keys, keyOfVariant,
            producer.variants().stream().map(MessageVariant::headers).toList(), producer.envelopeProperty());
    }
}
