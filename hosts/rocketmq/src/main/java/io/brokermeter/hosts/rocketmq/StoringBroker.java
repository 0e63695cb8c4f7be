package io.brokermeter.hosts.rocketmq;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.brokermeter.hosts.BeanPropertySetter;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.FreePort;
import io.brokermeter.hosts.HostArguments;
import org.apache.rocketmq.auth.config.AuthConfig;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.BrokerPathConfigHelper;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/** A broker that stores messages: a master, or a slave that copies one. */
final class StoringBroker implements RocketMqHost.Role {

    private static final String CLUSTER = "brokermeter";
    private static final int ATTEMPTS = 50;
    private static final long PAUSE_MILLIS = 20;
    private static final int QUERY_MILLIS = 3000;
    /** The topic of every broker that creates topics automatically. */
    private static final String TEMPLATE_TOPIC = "TBW102";

    private final BrokerController controller;

    private StoringBroker(BrokerController controller) {
        this.controller = controller;
    }

    /** Starts a broker. When this returns, the name server lists the broker to clients. */
    static StoringBroker start(HostArguments arguments, DataDirectory data, boolean slave) throws Exception {
        // RocketMQ also takes two neighbours of the port: port - 2 and port + 1.
        int port = arguments.port() == 0 ? FreePort.withNeighbours(-2, 1) : arguments.port();
        BrokerConfig broker = new BrokerConfig();
        broker.setRocketmqHome(data.resolve("home").toString());
        broker.setBrokerClusterName(CLUSTER);
        broker.setBrokerName(arguments.setting("name").orElse("broker-a"));
        broker.setBrokerId(slave ? 1 : MixAll.MASTER_ID);
        broker.setBrokerIP1("127.0.0.1");
        broker.setBrokerIP2("127.0.0.1");
        broker.setNamesrvAddr(arguments.setting("name-server")
            .orElseThrow(() -> new IllegalArgumentException("Setting name-server is missing.")));
        // Selectors in SQL cost nothing until a client uses one.
        broker.setEnablePropertyFilter(true);
        // TransactionMetricsFlushService polls the clock without a pause until this time has passed once: 10 s of a core by default.
        broker.setTransactionMetricFlushInterval(1000);

        NettyServerConfig server = new NettyServerConfig();
        server.setBindAddress("127.0.0.1");
        server.setListenPort(port);

        MessageStoreConfig store = new MessageStoreConfig();
        store.setStorePathRootDir(data.resolve("store").toString());
        store.setStorePathCommitLog(data.resolve("store").resolve("commitlog").toString());
        store.setHaListenPort(port + 1);
        store.setBrokerRole(slave ? "SLAVE" : "ASYNC_MASTER");
        store.setFlushDiskType(arguments.setting("journal").orElse("async-flush").equals("sync-flush")
            ? "SYNC_FLUSH" : "ASYNC_FLUSH");
        // The files are created at their full size; the defaults would take 1.5 GB of address space and disk quota.
        store.setMappedFileSizeCommitLog(64 << 20);
        store.setMappedFileSizeConsumeQueue(20 * 50_000);
        store.setMaxIndexNum(50_000);
        store.setMaxHashSlotNum(10_000);
        store.setDiskMaxUsedSpaceRatio(95);

        AuthConfig auth = new AuthConfig();
        NettyClientConfig client = new NettyClientConfig();
        BeanPropertySetter.set(arguments.properties(), broker, store, server, client, auth);
        auth.setConfigName(broker.getBrokerName());
        auth.setClusterName(CLUSTER);
        auth.setAuthConfigPath(data.resolve("store").resolve("config").toString());
        BrokerPathConfigHelper.setBrokerConfigPath(data.resolve("broker.properties").toString());

        BrokerController controller = new BrokerController(broker, server, client, store, auth);
        if (!controller.initialize()) {
            throw new IOException("The broker cannot be initialized with its directory " + data.resolve("store"));
        }
        controller.start();
        announce(controller);
        return new StoringBroker(controller);
    }

    /**
     * Registers with the name server until that lists the broker. By itself the broker tries at its start, when it
     * usually has no connection yet, and ten seconds later.
     */
    private static void announce(BrokerController controller) throws Exception {
        BrokerConfig broker = controller.getBrokerConfig();
        while (controller.getBrokerOuterAPI().getRemotingClient().getAvailableNameSrvList().isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        while (true) {
            controller.registerBrokerAll(true, false, true);
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                if (isVisible(controller, broker)) {
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static boolean isVisible(BrokerController controller, BrokerConfig broker) throws InterruptedException {
        try {
            for (BrokerData data : controller.getBrokerOuterAPI()
                .getTopicRouteInfoFromNameServer(TEMPLATE_TOPIC, QUERY_MILLIS).getBrokerDatas()) {
                Map<Long, String> addresses = data.getBrokerAddrs();
                if (data.getBrokerName().equals(broker.getBrokerName()) && addresses.containsKey(broker.getBrokerId())) {
                    return true;
                }
            }
            return false;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            // the topic is unknown as long as no broker is registered
            return false;
        }
    }

    @Override
    public int port() {
        return controller.getNettyServerConfig().getListenPort();
    }

    @Override
    public void stop() {
        controller.shutdown();
    }
}
