package io.brokermeter.hosts.artemis;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.brokermeter.hosts.BeanProperties;
import io.brokermeter.hosts.RefusedProperty;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.server.ActiveMQServer;

/**
 * The parameters of acceptors, which Artemis takes as maps and whose names it does not look at: those of the transport are in
 * {@code acceptorConfigurations.NAME.params}, those of the protocols there or in {@code extraParams}.
 */
final class AcceptorProperties {

    private AcceptorProperties() {}

    /**
     * Checks the names of the acceptors that a server has started: before that its protocols cannot be asked.
     *
     * @throws RefusedProperty for the first one that neither transport nor protocols have
     */
    static void check(ActiveMQServer server, Map<String, String> properties) {
        for (TransportConfiguration one : server.getConfiguration().getAcceptorConfigurations()) {
            if (!(server.getRemotingService().getAcceptor(one.getName()) instanceof NettyAcceptor acceptor)) {
                continue;
            }
            Set<String> known = new TreeSet<>();
            acceptor.getProtocolMap().values().forEach(protocol -> known.addAll(parameters(protocol.getClass())));
            for (String name : one.getExtraParams().keySet()) {
                if (!known.contains(name)) {
                    throw refused(one.getName(), "extraParams", name, properties, TransportConstants.ALLOWABLE_ACCEPTOR_KEYS.contains(name)
                        ? "that is a parameter of the transport, which stands in params" : unknown(name, known));
                }
            }
            known.addAll(TransportConstants.ALLOWABLE_ACCEPTOR_KEYS);
            for (String name : one.getParams().keySet()) {
                if (!known.contains(name)) {
                    throw refused(one.getName(), "params", name, properties, unknown(name, known));
                }
            }
        }
    }

    /** What can be set of a protocol. Some setters return their object, which a bean's must not. */
    private static Set<String> parameters(Class<?> protocol) {
        Set<String> names = new TreeSet<>();
        Arrays.stream(protocol.getMethods())
            .filter(method -> method.getParameterCount() == 1 && !Modifier.isStatic(method.getModifiers()))
            .map(Method::getName).filter(name -> name.matches("set[A-Z].*"))
            .forEach(name -> names.add(Character.toLowerCase(name.charAt(3)) + name.substring(4)));
        return names;
    }

    private static String unknown(String name, Set<String> known) {
        return "an acceptor has no parameter " + name
            + BeanProperties.nearest(name, known.stream()).map(near -> "; did you mean " + near + "?")
                .orElse("");
    }

    private static RefusedProperty refused(String acceptor, String map, String name, Map<String, String> properties, String reason) {
        String path = "acceptorConfigurations." + acceptor + "." + map + "." + name;
        String given = properties.keySet().stream().filter(key -> key.replace("\"", "").equals(path)).findFirst().orElse(path);
        return new RefusedProperty(BrokerProperties.sentence(given, properties.getOrDefault(given, ""), reason));
    }
}
