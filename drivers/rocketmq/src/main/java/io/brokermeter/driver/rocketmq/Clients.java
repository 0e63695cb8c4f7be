package io.brokermeter.driver.rocketmq;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.brokermeter.driver.rocketmq.library.CallerRunsExecutor;
import io.brokermeter.driver.rocketmq.library.ClientProperties;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.parameter.Secret;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.MQClientManager;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.RPCHook;
import org.jspecify.annotations.Nullable;

/**
 * Creates the client's producers. The producers of each connection, and every consumer, have a client instance of their own with its own
 * network connections; only with {@code shared-client} do the producers of several connections share one. Thread-safe.
 */
final class Clients {

    private static final Map<Login, Shared> SHARED = new HashMap<>();

    /** The settings that connections must have in common to share a client. */
    private record Login(
            String nameServers, @Nullable String user, @Nullable Secret password, @Nullable String clientId, Map<String, String> client,
            Optional<TlsOptions> encryption) {

        static Login of(RocketMqSettings settings) {
            return new Login(settings.nameServers, settings.user, settings.password, settings.clientId, settings.client,
                settings.encryption.map(RocketMqTls::options));
        }
    }

    private static final class Shared {

        private final DefaultMQProducer producer;
        private int users;

        Shared(DefaultMQProducer producer) {
            this.producer = producer;
        }
    }

    private Clients() {}

    /** Returns a started producer, to be ended by {@link #end}; with {@code shared-client} possibly the producer of another connection. */
    static DefaultMQProducer producer(RocketMqSettings settings) throws MQClientException {
        if (!settings.sharedClient) {
            return started(settings);
        }
        synchronized (SHARED) {
            Shared shared = SHARED.get(Login.of(settings));
            if (shared == null) {
                shared = new Shared(started(settings));
                SHARED.put(Login.of(settings), shared);
            }
            shared.users++;
            return shared.producer;
        }
    }

    /** Returns the number of clients that producers of several connections may share at present. */
    static int shared() {
        synchronized (SHARED) {
            return SHARED.size();
        }
    }

    /** Shuts a producer down, unless another connection uses it. */
    static void end(DefaultMQProducer producer, RocketMqSettings settings) {
        synchronized (SHARED) {
            Shared shared = settings.sharedClient ? SHARED.get(Login.of(settings)) : null;
            if (shared != null && shared.producer == producer) {
                if (--shared.users > 0) {
                    return;
                }
                SHARED.remove(Login.of(settings));
            }
        }
        producer.shutdown();
    }

    private static DefaultMQProducer started(RocketMqSettings settings) throws MQClientException {
        RPCHook hook = Hooks.of(settings);
        DefaultMQProducer producer = new DefaultMQProducer(group(), hook);
        start(producer, hook, settings);
        return producer;
    }

    /** Returns a started producer of half messages, which take effect when they are committed. */
    static TransactionMQProducer transactional(RocketMqSettings settings) throws MQClientException {
        RPCHook hook = Hooks.of(settings);
        TransactionMQProducer producer = new TransactionMQProducer(group(), hook);
        producer.setTransactionListener(new Undecided());
        start(producer, hook, settings);
        return producer;
    }

    private static String group() {
        return "brokermeter_" + UUID.randomUUID();
    }

    private static void start(DefaultMQProducer producer, @Nullable RPCHook hook, RocketMqSettings settings) throws MQClientException {
        // A failure must be counted, not hidden by a retry; and a body must be sent unchanged.
        producer.setRetryTimesWhenSendFailed(0);
        producer.setRetryTimesWhenSendAsyncFailed(0);
        producer.setCompressMsgBodyOverHowmuch(Integer.MAX_VALUE);
        configure(producer, settings);
        CallerRunsExecutor inline = new CallerRunsExecutor();
        producer.setAsyncSenderExecutor(inline);
        instance(producer, hook, settings);
        producer.start();
        producer.setCallbackExecutor(inline);
    }

    /** Applies the settings that all clients of a connection have in common. */
    static void configure(ClientConfig client, RocketMqSettings settings) {
        ClientProperties.apply(settings.client, client);
        client.setNamesrvAddr(settings.answering);
        client.setInstanceName((settings.clientId == null ? "brokermeter" : settings.clientId) + "-" + UUID.randomUUID());
    }

    /**
     * Creates the instance that a producer or consumer will start. Its handlers run on the network threads; by default every request and
     * every answer passes through a pool of threads. It keeps a connection on which one request was not answered in time: by default a
     * heartbeat that a busy broker answers late would close it, and take with it every send that waits there.
     */
    static MQClientInstance instance(ClientConfig client, @Nullable RPCHook hook, RocketMqSettings settings) throws MQClientException {
        MQClientInstance instance = MQClientManager.getInstance().getOrCreateMQClientInstance(client, hook);
        // The TLS handler always runs in that pool, and the others must not run beside it.
        instance.getNettyClientConfig().setDisableNettyWorkerGroup(!client.isUseTLS());
        instance.getNettyClientConfig().setClientCloseSocketIfTimeout(false);
        if (settings.encryption.isPresent()) {
            try {
                settings.encryption.get().install(instance.getMQClientAPIImpl().getRemotingClient());
            } catch (IOException e) {
                throw new MQClientException(String.valueOf(e.getMessage()), e);
            }
        }
        return instance;
    }

    /** Answers the broker's questions about transactions that stay open for long: undecided, since only a commit decides them. */
    private static final class Undecided implements TransactionListener {

        @Override
        public LocalTransactionState executeLocalTransaction(Message message, Object argument) {
            return LocalTransactionState.UNKNOW;
        }

        @Override
        public LocalTransactionState checkLocalTransaction(MessageExt message) {
            return LocalTransactionState.UNKNOW;
        }
    }
}
