package io.brokermeter.driver.nats;

import java.io.IOException;
import java.time.Duration;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamOptions;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.ConsumerInfo;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.StreamInfo;
import org.jspecify.annotations.Nullable;

/** The streams and consumers of a server with JetStream, managed over one connection. Thread-safe. */
final class JetStreams {

    /** The consumer of a queue, which all its receivers share. */
    static final String QUEUE_CONSUMER = "queue";
    static final int NO_STREAM = 10_059;
    static final int NO_CONSUMER = 10_014;

    private final Connection connection;
    private final Duration limit;
    private final boolean file;
    private final int replicas;

    /**
     * @param limit the longest time of a request
     * @param file whether streams are kept in files
     */
    JetStreams(Connection connection, Duration limit, boolean file, int replicas) {
        this.connection = connection;
        this.limit = limit;
        this.file = file;
        this.replicas = replicas;
    }

    private JetStreamManagement management() throws IOException {
        return connection.jetStreamManagement(JetStreamOptions.builder().requestTimeout(limit).build());
    }

    /** Returns the name of a destination's stream; names of streams cannot contain dots. */
    static String stream(Destination destination) {
        return name(destination.name());
    }

    /** Returns the text with an underscore for each character that a name cannot contain. */
    static String name(String text) {
        return text.replaceAll("[^A-Za-z0-9_-]", "_");
    }

    /** Creates a destination's stream; returns false if it exists. */
    boolean create(Destination destination) throws IOException, JetStreamApiException {
        JetStreamManagement management = management();
        String stream = stream(destination);
        try {
            management.getStreamInfo(stream);
            return false;
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() != NO_STREAM) {
                throw e;
            }
        }
        Creation.of(() -> management.addStream(StreamConfiguration.builder().name(stream).subjects(destination.name())
            .retentionPolicy(destination.isTopic() ? RetentionPolicy.Interest : RetentionPolicy.WorkQueue)
            .storageType(file ? StorageType.File : StorageType.Memory).replicas(replicas).build()));
        return true;
    }

    /** Deletes a destination's stream, if there is one. */
    void delete(Destination destination) throws IOException, JetStreamApiException {
        try {
            Removal.of(() -> management().deleteStream(stream(destination)), NO_STREAM);
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() != NO_STREAM) {
                throw e;
            }
        }
    }

    /** Deletes a consumer. */
    void deleteConsumer(String stream, String name) throws IOException, JetStreamApiException {
        Removal.of(() -> management().deleteConsumer(stream, name), NO_CONSUMER);
    }

    /**
     * Returns the number of messages that wait in a stream. A stream that is not a work queue may keep acknowledged messages, so the
     * consumer of a queue is asked instead.
     */
    long waiting(String stream, boolean topic) throws IOException, JetStreamApiException {
        StreamInfo info = management().getStreamInfo(stream);
        if (!topic && info.getConfiguration().getRetentionPolicy() != RetentionPolicy.WorkQueue) {
            try {
                ConsumerInfo queue = management().getConsumerInfo(stream, QUEUE_CONSUMER);
                return queue.getNumPending() + queue.getNumAckPending();
            } catch (JetStreamApiException e) {
                if (e.getApiErrorCode() != NO_CONSUMER) {
                    throw e;
                }
            }
        }
        return info.getStreamState().getMsgCount();
    }

    /** Returns whether a consumer delivers nothing until a message is acknowledged. */
    boolean isFull(String stream, String consumer) {
        try {
            ConsumerInfo found = management().getConsumerInfo(stream, consumer);
            return found.getNumAckPending() >= found.getConsumerConfiguration().getMaxAckPending();
        } catch (IOException | JetStreamApiException | RuntimeException e) {
            return false; // the receiver learns of the failure
        }
    }

    /**
     * Creates a consumer, or updates an existing one. An unused consumer of a queue that is to be polled and was pushed before, or vice
     * versa, is created anew; the stream still has all messages that are not acknowledged.
     */
    ConsumerInfo update(Destination destination, ConsumerConfiguration wanted) throws IOException, JetStreamApiException {
        JetStreamManagement management = management();
        String stream = stream(destination);
        String name = wanted.getDurable();
        if (name != null) {
            ConsumerInfo found = null;
            try {
                found = management.getConsumerInfo(stream, name);
            } catch (JetStreamApiException e) {
                if (e.getApiErrorCode() != NO_CONSUMER) {
                    throw e;
                }
            }
            boolean polled = wanted.getDeliverSubject() == null;
            if (found != null && polled != (found.getConsumerConfiguration().getDeliverSubject() == null)) {
                if (destination.isTopic() || found.isPushBound() || found.getNumWaiting() > 0) {
                    throw new DriverException("The messages of " + destination + " are " + (polled ? "pushed" : "fetched")
                        + " for consumer " + name + ", and JetStream does not mix the two ways; "
                        + (polled ? "do not poll" : "poll, too") + ", or take another name.", null);
                }
                deleteConsumer(stream, name);
            }
        }
        return management.addOrUpdateConsumer(stream, wanted);
    }

    /** Deletes an unused consumer; does nothing if that fails. */
    void remove(String stream, String consumer) {
        try {
            management().deleteConsumer(stream, consumer);
        } catch (IOException | JetStreamApiException e) {
            // the server removes unused consumers
        }
    }

    /** Returns the exception for what the server refuses. */
    static DriverException refused(Destination destination, JetStreamApiException e) {
        return new DriverException("JetStream refuses " + destination + " (" + e.getMessage() + ").", e);
    }
}
