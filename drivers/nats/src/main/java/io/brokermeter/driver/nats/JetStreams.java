package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;

/** The streams and consumers of a server with JetStream, managed over one connection. Thread-safe. */
final class JetStreams {

    /** The consumer of a queue, which all its receivers share. */
    static final String QUEUE_CONSUMER = "queue";
    static final int NO_STREAM = 10_059;
    static final int NO_CONSUMER = 10_014;
    private static final String WORK_QUEUE = "workqueue";

    private final NatsLink link;
    private final boolean file;
    private final int replicas;

    /** @param file whether streams are kept in files */
    JetStreams(NatsLink link, boolean file, int replicas) {
        this.link = link;
        this.file = file;
        this.replicas = replicas;
    }

    /**
     * Makes a request of the API and returns the answer.
     *
     * @throws ApiError if JetStream refuses it
     */
    private Json ask(String subject, String body) throws IOException, InterruptedException {
        byte[] answer = link.request("$JS.API." + subject, body, link.requestLimitNanos());
        Json json = Json.parse(new String(answer, StandardCharsets.UTF_8));
        if (json.has("error")) {
            throw new ApiError((int) json.number("error.err_code"), json.text("error.description"));
        }
        return json;
    }

    /** Returns what the server tells of a consumer. */
    Json consumer(String stream, String consumer) throws IOException, InterruptedException {
        return ask("CONSUMER.INFO." + stream + "." + consumer, "");
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
    boolean create(Destination destination) throws IOException, InterruptedException {
        String stream = stream(destination);
        try {
            ask("STREAM.INFO." + stream, "");
            return false;
        } catch (ApiError e) {
            if (e.code() != NO_STREAM) {
                throw e;
            }
        }
        String wanted = "{\"name\":" + Json.quoted(stream) + ",\"subjects\":[" + Json.quoted(destination.name()) + "],\"retention\":\""
            + (destination.isTopic() ? "interest" : WORK_QUEUE) + "\",\"storage\":\"" + (file ? "file" : "memory") + "\",\"num_replicas\":"
            + replicas + ",\"max_consumers\":-1,\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,\"discard\":\"old\"}";
        Creation.of(() -> ask("STREAM.CREATE." + stream, wanted));
        return true;
    }

    /** Deletes a destination's stream, if there is one. */
    void delete(Destination destination) throws IOException, InterruptedException {
        try {
            Removal.of(() -> ask("STREAM.DELETE." + stream(destination), ""), NO_STREAM);
        } catch (ApiError e) {
            if (e.code() != NO_STREAM) {
                throw e;
            }
        }
    }

    /** Deletes a consumer. */
    void deleteConsumer(String stream, String name) throws IOException, InterruptedException {
        Removal.of(() -> ask("CONSUMER.DELETE." + stream + "." + name, ""), NO_CONSUMER);
    }

    /**
     * Returns the number of messages that wait in a stream. A stream that is not a work queue may keep acknowledged messages, so the
     * consumer of a queue is asked instead.
     */
    long waiting(String stream, boolean topic) throws IOException, InterruptedException {
        Json info = ask("STREAM.INFO." + stream, "");
        if (!topic && !info.text("config.retention").equals(WORK_QUEUE)) {
            try {
                Json queue = consumer(stream, QUEUE_CONSUMER);
                return queue.number("num_pending") + queue.number("num_ack_pending");
            } catch (ApiError e) {
                if (e.code() != NO_CONSUMER) {
                    throw e;
                }
            }
        }
        return info.number("state.messages");
    }

    /** Returns whether a consumer delivers nothing until a message is acknowledged. */
    boolean isFull(String stream, String consumer) {
        try {
            Json found = consumer(stream, consumer);
            return found.number("num_ack_pending") >= found.number("config.max_ack_pending");
        } catch (IOException | RuntimeException e) {
            return false; // the receiver learns of the failure
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * The configuration of a consumer.
     *
     * @param name the name of one that stays; empty for one that the server names
     * @param deliverSubject the subject to which messages are pushed; empty for one that is polled
     * @param deliverGroup the queue group that shares them; empty for none
     * @param all whether the messages before the consumer are delivered, too
     * @param idleSeconds how long it may be unused before the server removes it; 0 for as long as the server likes
     */
    record Wanted(
            String name, String deliverSubject, String deliverGroup, boolean all, long ackWaitNanos, long maxAckPending, long idleSeconds) {

        private String json(String stream) {
            return "{\"stream_name\":" + Json.quoted(stream) + ",\"config\":{" + text("durable_name", name)
                + text("deliver_subject", deliverSubject) + text("deliver_group", deliverGroup)
                + text("deliver_policy", all ? "all" : "new")
                + text("ack_policy", "explicit") + text("replay_policy", "instant")
                + (idleSeconds == 0 ? "" : "\"inactive_threshold\":" + TimeUnit.SECONDS.toNanos(idleSeconds) + ",")
                + "\"ack_wait\":" + ackWaitNanos + ",\"max_ack_pending\":" + maxAckPending + "}}";
        }

        private static String text(String key, String value) {
            return value.isEmpty() ? "" : "\"" + key + "\":" + Json.quoted(value) + ",";
        }
    }

    /**
     * Creates a consumer, or updates an existing one. An unused consumer of a queue that is to be polled and was pushed before, or vice
     * versa, is created anew; the stream still has all messages that are not acknowledged. Returns its name.
     */
    String update(Destination destination, Wanted wanted) throws IOException, InterruptedException {
        String stream = stream(destination);
        String name = wanted.name();
        if (!name.isEmpty()) {
            Json found = null;
            try {
                found = consumer(stream, name);
            } catch (ApiError e) {
                if (e.code() != NO_CONSUMER) {
                    throw e;
                }
            }
            boolean polled = wanted.deliverSubject().isEmpty();
            if (found != null && polled == found.has("config.deliver_subject")) {
                if (destination.isTopic() || found.flag("push_bound") || found.number("num_waiting") > 0) {
                    throw new DriverException("The messages of " + destination + " are " + (polled ? "pushed" : "fetched")
                        + " for consumer " + name + ", and JetStream does not mix the two ways; "
                        + (polled ? "do not poll" : "poll, too") + ", or take another name.", null);
                }
                deleteConsumer(stream, name);
            }
        }
        return ask("CONSUMER." + (name.isEmpty() ? "CREATE." + stream : "DURABLE.CREATE." + stream + "." + name), wanted.json(stream))
            .text("name");
    }

    /** Deletes an unused consumer; does nothing if that fails. */
    void remove(String stream, String consumer) {
        try {
            ask("CONSUMER.DELETE." + stream + "." + consumer, "");
        } catch (IOException e) {
            // the server removes unused consumers
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
