package io.brokermeter.driver.core;

import java.util.concurrent.TimeUnit;

import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.core.remoting.impl.netty.SharedEventLoopGroup;

/** Ends the client's global threads with the last connection; the client itself keeps some of them for ever. */
final class ThreadPools {

    private static int users;

    private ThreadPools() {}

    static synchronized void retain() {
        users++;
    }

    static synchronized void release() {
        if (--users == 0) {
            ActiveMQClient.clearThreadPools(1, TimeUnit.SECONDS);
            SharedEventLoopGroup.forceShutdown();
        }
    }
}
