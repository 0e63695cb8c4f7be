package io.brokermeter.hosts.rocketmq;

import java.io.IOException;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.FreePort;
import io.brokermeter.hosts.HostArguments;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;

/** A name server of RocketMQ, the process that knows the brokers of the cluster. */
final class NameServer implements RocketMqHost.Role {

    private final NamesrvController controller;
    private final int port;

    private NameServer(NamesrvController controller, int port) {
        this.controller = controller;
        this.port = port;
    }

    static NameServer start(HostArguments arguments, DataDirectory data) throws Exception {
        NamesrvConfig configuration = new NamesrvConfig();
        configuration.setRocketmqHome(data.resolve("home").toString());
        configuration.setKvConfigPath(data.resolve("kvConfig.json").toString());
        configuration.setConfigStorePath(data.resolve("namesrv.properties").toString());
        int port = FreePort.orAsked(arguments.port());
        NettyServerConfig server = new NettyServerConfig();
        server.setBindAddress("127.0.0.1");
        server.setListenPort(port);
        NamesrvController controller = new NamesrvController(configuration, server, new NettyClientConfig());
        if (!controller.initialize()) {
            throw new IOException("The name server cannot be initialized.");
        }
        controller.start();
        return new NameServer(controller, port);
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public void stop() {
        controller.shutdown();
    }
}
