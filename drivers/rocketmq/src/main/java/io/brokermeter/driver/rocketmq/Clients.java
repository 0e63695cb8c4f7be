package io.brokermeter.driver.rocketmq;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.Secret;
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
 * Makes the client's producers, and gives every connection's producers and every consumer an instance, with its own network
 * connections, to itself; only with {@code shared-client} do the producers of several connections have one. Thread-safe.
 */
final class Clients {

    private static final Map<Login, Shared> SHARED = new HashMap<>();

    /** What clients must have in common to be one. */
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

    /** A started producer, which {@link #end} ends; another connection's where the settings say so. */
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

    /** How many clients producers of several connections share now. */
    static int shared() {
        synchronized (SHARED) {
            return SHARED.size();
        }
    }

    /** Shuts a producer down when nobody else uses it. */
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

    /** A started producer of messages that take effect later. */
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
        // A failure is to be counted, and not to be hidden by another try; and a body is to be sent as it is.
        producer.setRetryTimesWhenSendFailed(0);
        producer.setRetryTimesWhenSendAsyncFailed(0);
        producer.setCompressMsgBodyOverHowmuch(Integer.MAX_VALUE);
        configure(producer, settings);
        InlineExecutor inline = new InlineExecutor();
        producer.setAsyncSenderExecutor(inline);
        instance(producer, hook, settings);
        producer.start();
        producer.setCallbackExecutor(inline);
    }

    /** Sets what all clients of a connection have in common. */
    static void configure(ClientConfig client, RocketMqSettings settings) {
        ClientProperties.apply(settings.client, client);
        client.setNamesrvAddr(settings.nameServers);
        client.setInstanceName((settings.clientId == null ? "brokermeter" : settings.clientId) + "-" + UUID.randomUUID());
    }

    /**
     * Makes the instance that a producer or consumer will start. Its handlers run in the thread that reads and writes; by
     * default every request and every answer goes through a pool of threads on its way.
     */
    static MQClientInstance instance(ClientConfig client, @Nullable RPCHook hook, RocketMqSettings settings) throws MQClientException {
        MQClientInstance instance = MQClientManager.getInstance().getOrCreateMQClientInstance(client, hook);
        // The handler of TLS always runs in that pool, and the others must not run beside it.
        instance.getNettyClientConfig().setDisableNettyWorkerGroup(!client.isUseTLS());
        if (settings.encryption.isPresent()) {
            try {
                settings.encryption.get().install(instance.getMQClientAPIImpl().getRemotingClient());
            } catch (IOException e) {
                throw new MQClientException(String.valueOf(e.getMessage()), e);
            }
        }
        return instance;
    }

    /** The broker asks about transactions that stay open for long; only a commit decides them. */
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
