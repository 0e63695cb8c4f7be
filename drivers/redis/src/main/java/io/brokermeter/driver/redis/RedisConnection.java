package io.brokermeter.driver.redis;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

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
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A connection that consists of one socket for requests, and one for each producer and consumer. A destination is a stream; a queue is the
 * stream's group {@code queue}, and messages acknowledged there are deleted.
 */
final class RedisConnection extends ClientConnection {

    static final String QUEUE_GROUP = "queue";

    /** Opens a socket. */
    @FunctionalInterface
    interface Pipes {

        PipelinedConnection open();
    }

    private final Pipes pipes;
    private volatile PipelinedConnection questions;
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
            Pipes pipes, PipelinedConnection questions, ConnectionSettings settings, Duration claimAfter, int maxLength,
            Set<String> lostMembers,
            ConnectionListener listener) {
        super(settings.connectTimeout());
        this.pipes = pipes;
        this.questions = questions;
        this.clientId = settings.clientId();
        this.claimAfter = claimAfter;
        this.maxLength = maxLength;
        this.lostMembers = lostMembers;
        this.listener = listener;
        this.broker = version(questions);
    }

    private static String version(PipelinedConnection questions) {
        String info;
        try {
            info = text(questions.ask(Command.INFO, "server"));
        } catch (JedisAccessControlException e) {
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
    PipelinedConnection open() {
        return pipes.open();
    }

    private synchronized <T> T ask(String doing, Supplier<T> question) throws IOException {
        checkOpen();
        try {
            try {
                return question.get();
            } catch (JedisConnectionException e) {
                if (e.getCause() instanceof SocketTimeoutException) {
                    throw e;
                }
                // The server closes a socket that was idle for its timeout. A question may be asked twice.
                questions.drop();
                questions = pipes.open();
                return question.get();
            }
        } catch (JedisConnectionException e) {
            lost(e);
            throw new IOException("The connection is lost while " + doing + " (" + e.getMessage() + ").", e);
        } catch (JedisException e) {
            throw new DriverException("Redis refuses " + doing + " (" + e.getMessage() + ").", e);
        }
    }

    private static String text(@Nullable Object answer) {
        return answer instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(answer);
    }

    private static long number(@Nullable Object answer) {
        return answer instanceof Long number ? number : 0;
    }

    /** Creates a group and its stream; returns false if the group exists. */
    private boolean createGroup(String stream, String group, String from) {
        try {
            questions.ask(Command.XGROUP, "CREATE", stream, group, from, "MKSTREAM");
            return true;
        } catch (JedisDataException e) {
            String reason = String.valueOf(e.getMessage());
            // A server without memory refuses this before it checks whether the group exists; waiting messages can be read nevertheless.
            if (reason.startsWith("BUSYGROUP") || reason.startsWith("OOM") && hasGroup(stream, group)) {
                return false;
            }
            throw e;
        }
    }

    private boolean hasGroup(String stream, String group) {
        try {
            return questions.ask(Command.XINFO, "GROUPS", stream) instanceof List<?> groups && groups.stream()
                .anyMatch(each -> each instanceof List<?> fields && fields.size() > 1 && text(fields.get(1)).equals(group));
        } catch (JedisDataException e) {
            // there is no such stream
            return false;
        }
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return ask("declaring " + destination, () -> {
            boolean exists = number(questions.ask(Command.EXISTS, destination.name())) > 0;
            if (!destination.isTopic()) {
                createGroup(destination.name(), QUEUE_GROUP, "0");
            } else if (!exists) {
                createGroup(destination.name(), "created", "$");
                questions.ask(Command.XGROUP, "DESTROY", destination.name(), "created");
            }
            return !exists;
        });
    }

    @Override
    public void delete(Destination destination) throws Exception {
        ask("deleting " + destination, () -> questions.ask(Command.DEL, destination.name()));
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        return destination.isTopic() ? OptionalLong.empty() : OptionalLong.of(
            ask("asking for the depth of " + destination, () -> number(questions.ask(Command.XLEN, destination.name()))));
    }

    @Override
    public Producer producer(Destination destination, ProducerSettings settings, SendListener sends) throws Exception {
        declare(destination);
        PipelinedConnection pipe = ask("creating a producer on " + destination, pipes::open);
        RedisProducer producer = new RedisProducer(this, pipe, destination, settings, sends,
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
            return group == null && questions.ask(Command.XREVRANGE, destination.name(), "+", "-", "COUNT", "1") instanceof List<?> newest
                && !newest.isEmpty() && newest.getFirst() instanceof List<?> entry
                    ? text(entry.getFirst()) : "0-0";
        });
        PipelinedConnection pipe = ask("creating a consumer on " + destination, pipes::open);
        RedisConsumer consumer = new RedisConsumer(this, pipe, destination, group, last, settings, claimAfter, deliveries);
        try {
            ask("creating a consumer on " + destination, () -> {
                consumer.join();
                return consumer;
            });
        } catch (IOException e) {
            pipe.drop();
            throw e;
        }
        opened(consumer).start();
        return consumer;
    }

    /**
     * Restarts the subscription of a group whose members were most probably all killed, since a new consumer would otherwise get the
     * messages that arrived since. If members of this process are in the group whose connections broke, their subscription continues.
     */
    private void beginAnew(String stream, String group) {
        List<GroupMember> members = GroupMember.of(questions.ask(Command.XINFO, "CONSUMERS", stream, group));
        if (members.isEmpty() || !members.stream()
            .allMatch(each -> each.isAbandoned(claimAfter.toMillis()) && !lostMembers.contains(each.name()))) {
            return;
        }
        listener
            .notice("The subscription " + group + " on " + stream + " begins anew: its consumers have asked for nothing for a long time.");
        questions.ask(Command.XGROUP, "SETID", stream, group, "$");
        for (GroupMember member : members) {
            questions.ask(Command.XGROUP, "DELCONSUMER", stream, group, member.name());
        }
    }

    private String group(String subscription, boolean shared) {
        return shared || clientId == null ? subscription : clientId + "-" + subscription;
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        ask("removing the subscription '" + subscription + "' on " + destination, () -> {
            if (number(questions.ask(Command.XGROUP, "DESTROY", destination.name(), group(subscription, false))) == 0) {
                questions.ask(Command.XGROUP, "DESTROY", destination.name(), group(subscription, true));
            }
            return 0;
        });
    }

    @Override
    public String broker() {
        return broker;
    }

    @Override
    protected void end() {
        questions.drop();
    }
}
