package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.brokermeter.driver.rocketmq.library.ClientLibrary;
import io.brokermeter.driver.rocketmq.library.ClientProperties;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import io.netty.channel.Channel;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.remoting.ChannelEventListener;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyEvent;
import org.apache.rocketmq.remoting.netty.NettyEventType;
import org.apache.rocketmq.remoting.netty.NettyRemotingAbstract;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.jspecify.annotations.Nullable;

/** Starts the library's client for administrative requests, with name servers that answer, and shuts it down. */
final class AdminClient {

    private static final long PAUSE_MILLIS = 10;
    /** The longest time for which one of several name servers may be silent and still be used. */
    private static final long LONGEST_LOOK_MILLIS = 2000;
    /** The most events that {@link #shutDown} sends, which takes five seconds; the client's shutdown ends by itself after three. */
    private static final int MOST_EVENTS = 500;

    private AdminClient() {}

    /**
     * Starts a client.
     *
     * @param closed called with the broker's address when a connection closes, by any thread; null for nobody, and then the client has no
     *     thread for it, for whose end a shutdown would wait
     * @param deadline the {@link System#nanoTime()} until which name servers may answer
     */
    static MQClientAPIImpl start(RocketMqSettings settings, java.util.function.@Nullable Consumer<String> closed,
            long deadline) throws Exception {
        ClientLibrary.prepare();
        // the client would only log it
        Optional<String> unreachable = Failure.unreachable(settings.servers, Duration.ofMillis(AdminConnection.left(deadline)));
        if (unreachable.isPresent()) {
            throw new DriverException(unreachable.get() + "; is that the address of RocketMQ's name server?", null);
        }
        NettyClientConfig netty = new NettyClientConfig();
        netty.setConnectTimeoutMillis(millis(settings));
        netty.setScanAvailableNameSrv(false);
        netty.setDisableCallbackExecutor(true);
        netty.setClientChannelMaxIdleTimeSeconds(0);
        // Otherwise an answer that is a moment late would close the connection, which counts as its loss; hangUp closes it after a while.
        netty.setClientCloseSocketIfTimeout(false);
        ClientConfig client = new ClientConfig();
        ClientProperties.apply(settings.client, client);
        netty.setUseTLS(client.isUseTLS());
        netty.setSocksProxyConfig(client.getSocksProxyConfig());
        netty.setDisableNettyWorkerGroup(!client.isUseTLS());
        MQClientAPIImpl api = new MQClientAPIImpl(netty, null, Hooks.of(settings), client,
            closed == null ? null : new Closures(closed));
        if (settings.encryption.isPresent()) {
            settings.encryption.get().install(api.getRemotingClient());
        }
        api.updateNameServerAddressList(settings.nameServers);
        api.start();
        chooseNameServers(api, settings, deadline);
        return api;
    }

    /**
     * Leaves out name servers that do not answer now. A client begins with one of several at random, fails the request for which it found
     * that one gone, and stays with one that takes the connection and is silent.
     */
    private static void chooseNameServers(MQClientAPIImpl api, RocketMqSettings settings, long deadline) throws InterruptedException {
        if (settings.servers.size() == 1) {
            return;
        }
        List<String> answering = answering(api, settings, deadline, LONGEST_LOOK_MILLIS);
        if (answering.isEmpty()) {
            // a busy one takes longer
            answering = answering(api, settings, deadline, Long.MAX_VALUE);
        }
        if (!answering.isEmpty()) {
            settings.answering = String.join(";", answering);
            api.updateNameServerAddressList(settings.answering);
        }
    }

    /** Returns the name servers that answer, each within its share of the time that is left and within {@code most} milliseconds. */
    private static List<String> answering(MQClientAPIImpl api, RocketMqSettings settings, long deadline,
            long most) throws InterruptedException {
        List<String> answering = new ArrayList<>();
        int untried = settings.servers.size();
        for (ServerUrl.Server server : settings.servers) {
            try {
                api.getRemotingClient().invokeSync(server.toString(),
                    RemotingCommand.createRequestCommand(RequestCode.GET_BROKER_CLUSTER_INFO, null),
                    Math.min(AdminConnection.left(deadline) / untried, most));
                answering.add(server.toString());
            } catch (RemotingException e) {
                // it is left to the others, or to the sentence about all of them
            }
            untried--;
        }
        return answering;
    }

    private static int millis(RocketMqSettings settings) {
        return (int) Math.clamp(settings.timeout.toMillis(), 1, Integer.MAX_VALUE);
    }

    /**
     * Shuts the client down. The shutdown waits for the thread that reports connection events, which checks for the end at the next event
     * or after three seconds. If all connections are gone there are no events, so this method sends some.
     */
    static void shutDown(MQClientAPIImpl api) {
        Thread end = Thread.ofPlatform().daemon().name("rocketmq-end").start(api::shutdown);
        NettyEvent event = new NettyEvent(NettyEventType.IDLE, "", null);
        try {
            for (int i = 0; i < MOST_EVENTS && !end.join(Duration.ofMillis(PAUSE_MILLIS)); i++) {
                if (api.getRemotingClient() instanceof NettyRemotingAbstract client) {
                    client.putNettyEvent(event);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private record Closures(java.util.function.Consumer<String> listener) implements ChannelEventListener {

        @Override
        public void onChannelConnect(String address, Channel channel) {
            // connections are established on request, so no notification is needed
        }

        @Override
        public void onChannelClose(String address, Channel channel) {
            listener.accept(address);
        }

        @Override
        public void onChannelException(String address, Channel channel) {
            listener.accept(address);
        }

        @Override
        public void onChannelIdle(String address, Channel channel) {
            // it is closed then, which is notified
        }

        @Override
        public void onChannelActive(String address, Channel channel) {
            // connections are established on request, so no notification is needed
        }
    }
}
