package io.brokermeter.driver.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;

class FailureWordsTest {

    @Test
    void knowsWhatMayBeStoredAllTheSame() {
        assertThat(List.of(new TimeoutException("expired"), new DisconnectException(), new NetworkException(),
            new NotEnoughReplicasAfterAppendException("2 of 3"), new NotLeaderOrFollowerException(), new KafkaStorageException(),
            new UnknownServerException(), new KafkaException("Producer is closed forcefully.")))
            .allMatch(failure -> FailureWords.leavesUnknown(failure, true)).allMatch(failure -> FailureWords.leavesUnknown(failure, false));
        assertThat(List.of(new RecordTooLargeException(), new TopicAuthorizationException("t")))
            .noneMatch(failure -> FailureWords.leavesUnknown(failure, true));
    }

    /** An earlier attempt may have been answered with NOT_ENOUGH_REPLICAS_AFTER_APPEND, in which case the message may be stored. */
    @Test
    void theRefusalOfTooFewReplicasIsThatOfTheLastAttempt() {
        assertThat(FailureWords.leavesUnknown(new NotEnoughReplicasException(), true)).isTrue();
        assertThat(FailureWords.leavesUnknown(new NotEnoughReplicasException(), false)).isFalse();
    }

    /** Brokers that are compatible with Kafka may omit fields that Kafka's client requires. */
    @Test
    void blamesNobodyForWhatTheClientStumblesOver() {
        var stumbled = new NullPointerException("Cannot invoke \"java.util.List.stream()\" because \"configs\" is null");
        assertThat(FailureWords.sentence("creating topic t", stumbled))
            .contains("Kafka's client", "creating topic t", "FailureWordsTest.blames",
                "configs")
            .doesNotContain("refused").endsWith(".");
        assertThat(FailureWords.sentence("creating topic t", new TopicAuthorizationException("t"))).startsWith("The broker refused");
        assertThat(FailureWords.sentence("creating topic t", new TimeoutException("late"))).startsWith("The broker did not answer");
        assertThat(FailureWords.sentence("creating topic t", new UnsupportedVersionException("old"))).startsWith("The broker cannot");
    }
}
