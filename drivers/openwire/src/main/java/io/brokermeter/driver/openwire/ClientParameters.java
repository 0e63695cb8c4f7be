package io.brokermeter.driver.openwire;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;

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
        for (Method method : owner.getMethods()) {
            if (method.getName().startsWith("set") && method.getName().length() > 3 && method.getParameterCount() == 1
                    && isSimple(method.getParameterTypes()[0])) {
                var name = method.getName().substring(3);
                types.put(prefix + Character.toLowerCase(name.charAt(0)) + name.substring(1), method.getParameterTypes()[0]);
            }
        }
        // The client makes a setter of a name by its first letter alone.
        if (types.containsKey(prefix + "clientID")) {
            types.put(prefix + "clientIDPrefix", String.class);
        }
    }

    private static boolean isSimple(Class<?> type) {
        return type.isPrimitive() || type == String.class || type == String[].class || type == Boolean.class;
    }

    /** Their names. */
    Set<String> names() {
        return types.keySet();
    }

    /** @throws IllegalArgumentException with one sentence for the user, when a known parameter cannot have that value */
    void check(String name, String value) {
        var type = types.get(name);
        if (type != null && !fits(value, type)) {
            throw new IllegalArgumentException("Parameter " + name + " of protocol OPENWIRE must be "
                + (type == boolean.class || type == Boolean.class ? "true or false" : "a number") + ", not '" + value + "'.");
        }
    }

    private static boolean fits(String value, Class<?> type) {
        try {
            if (type == boolean.class || type == Boolean.class) {
                return value.equals("true") || value.equals("false");
            }
            if (type == double.class || type == float.class) {
                Double.parseDouble(value);
            } else if (type == long.class) {
                Long.parseLong(value);
            } else if (type == short.class) {
                Short.parseShort(value);
            } else if (type.isPrimitive()) {
                Integer.parseInt(value);
            }
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
