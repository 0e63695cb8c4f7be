package io.brokermeter.driver.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;

import io.brokermeter.driver.kafka.BrokerLossWatch.Change;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.junit.jupiter.api.Test;

/** What the counts of one of Kafka's clients say about its connections, without a broker. */
class BrokerLossWatchTest {

    private final Map<MetricName, Metric> metrics = new HashMap<>();
    private final Map<String, Double> values = new HashMap<>();

    private BrokerLossWatch.Client client(boolean producer, boolean answers) {
        for (String name : new String[] {"connection-count", "connection-close-total", "connection-creation-total", "request-total",
            "response-total", "requests-in-flight"}) {
            if (producer || !name.equals("requests-in-flight")) {
                metric(name, Map.of(), name);
                // those of single nodes have the same names and must not be taken
                metric(name, Map.of("node-id", "node-0"), "none");
            }
        }
        return new BrokerLossWatch.Client(metrics, answers, false);
    }

    private void metric(String name, Map<String, String> tags, String of) {
        MetricName key = new MetricName(name, "group", "", tags);
        metrics.put(key, new Metric() {

            @Override
            public MetricName metricName() {
                return key;
            }

            @Override
            public Object metricValue() {
                return values.getOrDefault(of, 0.0);
            }
        });
    }

    private void now(int open, int created, int closed, int sent, int answered, int inFlight) {
        values.putAll(Map.of("connection-count", (double) open, "connection-creation-total", (double) created, "connection-close-total",
            (double) closed, "request-total", (double) sent, "response-total", (double) answered, "requests-in-flight", (double) inFlight));
    }

    @Test
    void anAttemptToConnectToADeadServerBreaksNothing() {
        var client = client(true, true);
        now(1, 0, 3, 0, 0, 0);
        assertThat(client.look()).as("while the dead server is tried").isNotEqualTo(Change.BROKE);
        now(1, 1, 4, 2, 1, 1);
        assertThat(client.look()).as("after the other one has answered").isNotEqualTo(Change.BROKE);
        now(2, 2, 4, 9, 8, 1);
        assertThat(client.look()).isEqualTo(Change.NONE);
    }

    @Test
    void theEndOfAnIdleConnectionBreaksNothing() {
        var client = client(true, true);
        now(1, 1, 0, 50, 50, 0);
        client.look();
        now(0, 1, 1, 50, 50, 0);
        assertThat(client.look()).as("the close itself, after which the brokers are looked for").isEqualTo(Change.CLOSED);
        now(1, 2, 1, 60, 55, 5);
        assertThat(client.look()).as("when there is something to send again").isEqualTo(Change.NONE);
    }

    @Test
    void whatIsSentAtOnceAfterAnIdleCloseIsNotLost() {
        var client = client(true, true);
        now(1, 1, 0, 50, 50, 0);
        client.look();
        now(1, 2, 1, 60, 55, 5);
        assertThat(client.look()).isEqualTo(Change.CLOSED);
        now(1, 2, 1, 90, 86, 4);
        assertThat(client.look()).isEqualTo(Change.NONE);
    }

    @Test
    void aConnectionThatOwedAnswersBrokeOnceTheClientIsBack() {
        var client = client(true, true);
        now(1, 1, 0, 50, 49, 1);
        client.look();
        now(0, 1, 1, 52, 49, 0);
        assertThat(client.look()).isEqualTo(Change.CLOSED);
        now(1, 2, 1, 53, 49, 1);
        assertThat(client.look()).isEqualTo(Change.BROKE);
        now(1, 2, 1, 90, 87, 0);
        client.look();
        now(0, 2, 2, 90, 87, 0);
        assertThat(client.look()).isEqualTo(Change.CLOSED);
        now(1, 3, 2, 91, 88, 0);
        assertThat(client.look()).as("an idle close after a break").isEqualTo(Change.NONE);
    }

    /** A consumer's client does not count what is in flight. */
    @Test
    void ofAConsumerARequestWithoutAnAnswerIsOwed() {
        var client = client(false, true);
        now(2, 2, 0, 50, 49, 0);
        client.look();
        now(2, 4, 2, 54, 49, 0);
        assertThat(client.look()).as("a break and a return between two looks").isEqualTo(Change.BROKE);
        now(2, 4, 2, 60, 55, 0);
        client.look();
        now(0, 4, 4, 60, 55, 0);
        client.look();
        now(1, 5, 4, 61, 56, 0);
        assertThat(client.look()).as("an idle close after a break").isEqualTo(Change.NONE);
    }

    @Test
    void aLookBetweenTheEndsOfConnectionsHidesNoBreak() {
        var client = client(false, true);
        now(3, 3, 0, 50, 49, 0);
        client.look();
        now(3, 4, 1, 52, 50, 0);
        assertThat(client.look()).as("one of three has ended, and the client is connected again").isEqualTo(Change.NONE);
        now(3, 6, 3, 56, 52, 0);
        assertThat(client.look()).as("the other two as well").isEqualTo(Change.BROKE);
        now(3, 6, 3, 60, 57, 0);
        assertThat(client.look()).isEqualTo(Change.NONE);
    }

    @Test
    void connectionsThatEndInOneLookEachBreakTogether() {
        var client = client(false, true);
        now(3, 3, 0, 50, 49, 0);
        client.look();
        now(2, 3, 1, 51, 49, 0);
        assertThat(client.look()).isEqualTo(Change.NONE);
        now(1, 3, 2, 51, 49, 0);
        assertThat(client.look()).isEqualTo(Change.NONE);
        now(1, 4, 3, 53, 49, 0);
        assertThat(client.look()).as("the last one, and the client is back").isEqualTo(Change.BROKE);
    }

    @Test
    void withoutAnswersWhatWasJustSentIsAtRisk() {
        var client = client(true, false);
        now(1, 1, 0, 50, 2, 0);
        client.look();
        now(1, 2, 1, 70, 2, 0);
        assertThat(client.look()).isEqualTo(Change.BROKE);
        now(1, 2, 1, 70, 2, 0);
        client.look();
        now(0, 2, 2, 70, 2, 0);
        client.look();
        now(1, 3, 2, 71, 3, 0);
        assertThat(client.look()).as("an idle close").isEqualTo(Change.NONE);
    }

    @Test
    void attemptsThatFailBesideAConnectionThatAnswersBreakNothing() {
        var client = client(true, true);
        now(2, 2, 0, 50, 49, 1);
        client.look();
        now(1, 2, 1, 55, 53, 1);
        assertThat(client.look()).as("one of two connections breaks").isEqualTo(Change.NONE);
        now(1, 2, 3, 60, 58, 1);
        client.look();
        now(1, 2, 3, 65, 63, 1);
        client.look();
        now(2, 3, 3, 70, 68, 1);
        assertThat(client.look()).isEqualTo(Change.NONE);
    }
}
