package io.brokermeter.hosts.rocketmq;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.ha.DefaultHAService;

/**
 * A replication service that listens for slaves on loopback: RocketMQ has no setting for the address of this port,
 * which would be on every interface. RocketMQ finds this class by a file in {@code META-INF/service}.
 */
public final class LoopbackSlaves extends DefaultHAService {

    @Override
    public void init(DefaultMessageStore store) throws IOException {
        super.init(store);
        try {
            Field address = AcceptSocketService.class.getDeclaredField("socketAddressListen");
            address.setAccessible(true);
            address.set(acceptSocketService,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), store.getMessageStoreConfig().getHaListenPort()));
        } catch (ReflectiveOperationException e) {
            // another version of RocketMQ without this field, which runs all the same
        }
    }
}
