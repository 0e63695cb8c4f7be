package io.brokermeter.driver.openwire;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;

import io.brokermeter.spi.parameter.BeanProperties;
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
 * The parameters that the client understands in a URL, derived from the setters of its own classes, which it uses itself to read URLs. The
 * client silently ignores values that it cannot convert and some unknown names, and reports others only when it connects.
 */
final class ClientParameters {

    /** The parameters of a single broker: those of its transport. */
    static final ClientParameters TRANSPORT = new ClientParameters(transport());
    /** The parameters of a URL with one broker. */
    static final ClientParameters SINGLE = new ClientParameters(with(jms(), TRANSPORT.types, ""));
    /** The parameters behind the parentheses of a failover URL. */
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
        // The client derives the setter from a name by changing only its first letter.
        if (types.containsKey(prefix + "clientID")) {
            types.put(prefix + "clientIDPrefix", String.class);
        }
    }

    /** Returns the names of the parameters. */
    Set<String> names() {
        return types.keySet();
    }

    /** @throws IllegalArgumentException with one sentence for the user, if a known parameter cannot have that value */
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
