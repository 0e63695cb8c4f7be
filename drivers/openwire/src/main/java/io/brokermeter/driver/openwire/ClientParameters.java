package io.brokermeter.driver.openwire;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;

import io.brokermeter.spi.BeanProperties;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQPrefetchPolicy;
import org.apache.activemq.RedeliveryPolicy;
import org.apache.activemq.blob.BlobTransferPolicy;
import org.apache.activemq.openwire.OpenWireFormatFactory;
import org.apache.activemq.transport.InactivityMonitor;
import org.apache.activemq.transport.failover.FailoverTransport;
import org.apache.activemq.transport.tcp.SslTransport;
import org.apache.activemq.transport.tcp.TcpTransport;

/**
 * What the client understands in a URL: the setters of its own classes, by which it reads URLs itself. It says nothing of
 * a value that it cannot convert and of some unknown names, and of others only when it connects.
 */
final class ClientParameters {

    /** Parameters that stand behind a broker: those of its transport. */
    static final ClientParameters TRANSPORT = new ClientParameters(transport());
    /** Parameters of a URL of one broker. */
    static final ClientParameters SINGLE = new ClientParameters(with(jms(), TRANSPORT.types, ""));
    /** Parameters that stand behind the parentheses of a failover URL. */
    static final ClientParameters FAILOVER = new ClientParameters(failover());

    private final Map<String, Class<?>> types;

    private ClientParameters(Map<String, Class<?>> types) {
        this.types = Collections.unmodifiableMap(types);
    }

    private static Map<String, Class<?>> transport() {
        Map<String, Class<?>> types = new TreeMap<>();
        add(types, "", InactivityMonitor.class);
        add(types, "", TcpTransport.class);
        add(types, "", SslTransport.class);
        types.put("useInactivityMonitor", boolean.class);
        add(types, "wireFormat.", OpenWireFormatFactory.class);
        add(types, "socket.", SSLSocket.class);
        types.put("socket.verifyHostName", boolean.class);
        types.put("socket.enabledProtocols", String.class);
        types.put("socket.enabledCipherSuites", String.class);
        return types;
    }

    private static Map<String, Class<?>> jms() {
        Map<String, Class<?>> types = new TreeMap<>();
        add(types, "jms.", ActiveMQConnectionFactory.class);
        types.remove("jms.brokerURL");
        add(types, "jms.prefetchPolicy.", ActiveMQPrefetchPolicy.class);
        add(types, "jms.redeliveryPolicy.", RedeliveryPolicy.class);
        add(types, "jms.blobTransferPolicy.", BlobTransferPolicy.class);
        return types;
    }

    private static Map<String, Class<?>> failover() {
        Map<String, Class<?>> types = jms();
        add(types, "", FailoverTransport.class);
        types.remove("nestedExtraQueryOptions");
        return with(types, TRANSPORT.types, "nested.");
    }

    private static Map<String, Class<?>> with(Map<String, Class<?>> types, Map<String, Class<?>> more, String prefix) {
        more.forEach((name, type) -> types.put(prefix + name, type));
        return types;
    }

    private static void add(Map<String, Class<?>> types, String prefix, Class<?> owner) {
        BeanProperties.types(owner).forEach((name, type) -> types.put(prefix + name, type));
        // The client makes a setter of a name by its first letter alone.
        if (types.containsKey(prefix + "clientID")) {
            types.put(prefix + "clientIDPrefix", String.class);
        }
    }

    /** Their names. */
    Set<String> names() {
        return types.keySet();
    }

    /** @throws IllegalArgumentException with one sentence for the user, when a known parameter cannot have that value */
    void check(String name, String value) {
        var type = types.get(name);
        try {
            if (type != null) {
                BeanProperties.parse(type, value);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Parameter " + name + " of protocol OPENWIRE must be " + e.getMessage() + ", not '" + value
                + "'.", e);
        }
    }
}
