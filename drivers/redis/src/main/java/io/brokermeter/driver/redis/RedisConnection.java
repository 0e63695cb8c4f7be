package io.brokermeter.driver.redis;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

import io.brokermeter.driver.wire.ClientConnection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A connection that consists of one socket for requests, and one for each producer and consumer. A destination is a stream; a queue is the
 * stream's group {@code queue}, and messages acknowledged there are deleted.
 */
final class RedisConnection extends ClientConnection {

    static final String QUEUE_GROUP = "queue";

    /** Opens a socket. */
    @FunctionalInterface
    interface Sockets {

        RedisSocket open() throws IOException;
    }

    /**
     * A question and its answer.
     *
     * @param <T> the answer
     */
    private interface Question<T> {

        T ask() throws IOException;
    }

    private final Sockets sockets;
    private volatile RedisSocket questions;
    private final @Nullable String clientId;
    private final Duration claimAfter;
    private final int maxLength;
    private final Set<String> lostMembers;
    private final ConnectionListener listener;
    private final String broker;

    /**
     * @param questions open socket for requests; closed with this connection
     * @param lostMembers names of the members of this process that could not leave their groups; shared by all connections
     */
    RedisConnection(
            Sockets sockets, RedisSocket questions, ConnectionSettings settings, Duration claimAfter, int maxLength,
            Set<String> lostMembers, ConnectionListener listener) throws IOException {
        super(settings.connectTimeout());
        this.sockets = sockets;
        this.questions = questions;
        this.clientId = settings.clientId();
        this.claimAfter = claimAfter;
        this.maxLength = maxLength;
        this.lostMembers = lostMembers;
        this.listener = listener;
        this.broker = version(questions);
    }

    private static String version(RedisSocket questions) throws IOException {
        String info;
        try {
            info = text(questions.ask("INFO", "server"));
        } catch (RedisError e) {
            // Many users lack the permission for dangerous commands, of which this is one; messages need none of them.
            if (String.valueOf(e.getMessage()).startsWith("NOPERM")) {
                return "Redis";
            }
            throw e;
        }
        int at = info.indexOf("redis_version:");
        return at < 0 ? "Redis" : "Redis " + info.substring(at + 14).lines().findFirst().orElse("");
    }

    /** Returns the names of members of this process that could not leave their groups, and remain members for ever. */
    Set<String> lostMembers() {
        return lostMembers;
    }

    /** Marks the connection as lost, since one of its sockets broke; only the first call has an effect. */
    void lost(Throwable cause) {
        lost(cause.getMessage() == null ? new IOException("The connection to Redis is closed.", cause) : cause, listener);
    }

    /** Opens another socket. Any thread may call. */
    RedisSocket open() throws IOException {
        return sockets.open();
    }

    private synchronized <T> T ask(String doing, Question<T> question) throws IOException {
        checkOpen();
        try {
            try {
                return question.ask();
            } catch (IOException e) {
                if (e instanceof SocketTimeoutException || e instanceof DriverException || e instanceof RedisError) {
                    throw e;
                }
                // The server closes a socket that was idle for its timeout. A question may be asked twice.
                questions.drop();
                questions = sockets.open().limited();
                return question.ask();
            }
        } catch (IOException e) {
            RedisError refusal = Failure.find(e, RedisError.class);
            if (refusal != null) {
                throw new DriverException("Redis refuses " + doing + " (" + refusal.getMessage() + ").", e);
            }
            lost(e);
            throw new IOException("The connection is lost while " + doing + " (" + e.getMessage() + ").", e);
        }
    }

    private static String text(@Nullable Object answer) {
        return answer instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(answer);
    }

    private static long number(@Nullable Object answer) {
        return answer instanceof Long number ? number : 0;
    }

    /** Creates a group and its stream; returns false if the group exists. */
    private boolean createGroup(String stream, String group, String from) throws IOException {
        try {
            questions.ask("XGROUP", "CREATE", stream, group, from, "MKSTREAM");
            return true;
        } catch (RedisError e) {
            String reason = String.valueOf(e.getMessage());
            // A server without memory refuses this before it checks whether the group exists; waiting messages can be read nevertheless.
            if (reason.startsWith("BUSYGROUP") || reason.startsWith("OOM") && hasGroup(stream, group)) {
                return false;
            }
            throw e;
        }
    }

    private boolean hasGroup(String stream, String group) throws IOException {
        try {
            return questions.ask("XINFO", "GROUPS", stream) instanceof List<?> groups && groups.stream()
                .anyMatch(each -> each instanceof List<?> fields && fields.size() > 1 && text(fields.get(1)).equals(group));
        } catch (RedisError e) {
            // there is no such stream
            return false;
        }
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return ask("declaring " + destination, () -> {
            boolean exists = number(questions.ask("EXISTS", destination.name())) > 0;
            if (!destination.isTopic()) {
                createGroup(destination.name(), QUEUE_GROUP, "0");
            } else if (!exists) {
                createGroup(destination.name(), "created", "$");
                questions.ask("XGROUP", "DESTROY", destination.name(), "created");
            }
            return !exists;
        });
    }

    @Override
    public void delete(Destination destination) throws Exception {
        ask("deleting " + destination, () -> number(questions.ask("DEL", destination.name())));
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        return destination.isTopic() ? OptionalLong.empty() : OptionalLong.of(
            ask("asking for the depth of " + destination, () -> number(questions.ask("XLEN", destination.name()))));
    }

    @Override
    public Producer producer(Destination destination, ProducerSettings settings, SendListener sends) throws Exception {
        declare(destination);
        RedisSocket socket = ask("creating a producer on " + destination, sockets::open);
        RedisProducer producer = new RedisProducer(this, socket, destination, settings, sends,
            destination.isTopic() ? maxLength : 0);
        producer.start();
        return opened(producer);
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener deliveries) throws Exception {
        settings.requireSubscription(destination);
        declare(destination);
        String group = !destination.isTopic() ? QUEUE_GROUP
            : settings.subscription() != null && (settings.durable() || settings.shared())
                ? group(settings.subscription(), settings.shared()) : null;
        String last = ask("creating a consumer on " + destination, () -> {
            if (group != null && destination.isTopic() && !createGroup(destination.name(), group, "$") && !settings.durable()) {
                beginAnew(destination.name(), group);
            }
            // Not $, which each read would evaluate anew.
            return group == null && questions.ask("XREVRANGE", destination.name(), "+", "-", "COUNT", "1") instanceof List<?> newest
                && !newest.isEmpty() && newest.getFirst() instanceof List<?> entry
                    ? text(entry.getFirst()) : "0-0";
        });
        RedisSocket socket = ask("creating a consumer on " + destination, () -> sockets.open().limited());
        RedisConsumer consumer = new RedisConsumer(this, socket, destination, group, last, settings, claimAfter, deliveries);
        try {
            ask("creating a consumer on " + destination, () -> {
                consumer.join();
                return consumer;
            });
        } catch (IOException e) {
            socket.drop();
            throw e;
        }
        opened(consumer).start();
        return consumer;
    }

    /**
     * Restarts the subscription of a group whose members were most probably all killed, since a new consumer would otherwise get the
     * messages that arrived since. If members of this process are in the group whose connections broke, their subscription continues.
     */
    private void beginAnew(String stream, String group) throws IOException {
        List<GroupMember> members = GroupMember.of(questions.ask("XINFO", "CONSUMERS", stream, group));
        if (members.isEmpty() || !members.stream()
            .allMatch(each -> each.isAbandoned(claimAfter.toMillis()) && !lostMembers.contains(each.name()))) {
            return;
        }
        listener
            .notice("The subscription " + group + " on " + stream + " begins anew: its consumers have asked for nothing for a long time.");
        questions.ask("XGROUP", "SETID", stream, group, "$");
        for (GroupMember member : members) {
            questions.ask("XGROUP", "DELCONSUMER", stream, group, member.name());
        }
    }

    private String group(String subscription, boolean shared) {
        return shared || clientId == null ? subscription : clientId + "-" + subscription;
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        ask("removing the subscription '" + subscription + "' on " + destination, () -> {
            if (number(questions.ask("XGROUP", "DESTROY", destination.name(), group(subscription, false))) == 0) {
                questions.ask("XGROUP", "DESTROY", destination.name(), group(subscription, true));
            }
            return 0;
        });
    }

    @Override
    public String broker() {
        return broker;
    }

    @Override
    public String client() {
        return "brokermeter path for " + broker;
    }

    @Override
    protected void end() {
        questions.drop();
    }
}
