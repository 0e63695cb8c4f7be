package io.brokermeter.hosts.artemis;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.brokermeter.hosts.BeanPropertySetter;
import io.brokermeter.hosts.RefusedProperty;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.spi.core.remoting.Acceptor;

/**
 * Checks the parameters of acceptors and connectors, which Artemis takes as maps without checking their names: parameters of the
 * transport are in {@code acceptorConfigurations.NAME.params}, those of the protocols there or in {@code extraParams}; those of a
 * connector are in {@code connectorConfigurations.NAME.params}.
 */
final class AcceptorProperties {

    private static final String ACCEPTORS = "acceptorConfigurations";
    private static final String CONNECTORS = "connectorConfigurations";

    private AcceptorProperties() {}

    /**
     * Checks the parameter names of the acceptors of a started server, since its protocols cannot be asked before. An acceptor that
     * the server could not create, which Artemis reports in its log alone, is refused.
     *
     * @throws RefusedProperty for the first acceptor that does not exist, or parameter that neither the transport nor a protocol has
     */
    static void check(ActiveMQServer server, Map<String, String> properties) {
        for (TransportConfiguration one : server.getConfiguration().getAcceptorConfigurations()) {
            Acceptor started = server.getRemotingService().getAcceptor(one.getName());
            if (started == null) {
                String given =
                    properties.keySet().stream().filter(key -> key.replace("\"", "").startsWith(ACCEPTORS + "." + one.getName() + "."))
                        .sorted().findFirst().orElse(ACCEPTORS + "." + one.getName());
                throw new RefusedProperty(BrokerProperties.sentence(given, properties.getOrDefault(given, ""),
                    "there is no acceptor " + one.getName()
                        + ", and none is made without a factoryClassName; the one that is there is called all"));
            }
            if (!(started instanceof NettyAcceptor acceptor)) {
                continue;
            }
            Set<String> known = new TreeSet<>();
            acceptor.getProtocolMap().values().forEach(protocol -> known.addAll(parameters(protocol.getClass())));
            for (String name : one.getExtraParams().keySet()) {
                if (!known.contains(name)) {
                    throw refused(ACCEPTORS, one, "extraParams", name, properties, TransportConstants.ALLOWABLE_ACCEPTOR_KEYS.contains(name)
                        ? "that is a parameter of the transport, which stands in params" : unknown("an acceptor", name, known));
                }
            }
            known.addAll(TransportConstants.ALLOWABLE_ACCEPTOR_KEYS);
            for (String name : one.getParams().keySet()) {
                if (!known.contains(name)) {
                    throw refused(ACCEPTORS, one, "params", name, properties, unknown("an acceptor", name, known));
                }
            }
        }
    }

    /**
     * Checks the parameter names of network connectors, which have no parameters of protocols.
     *
     * @throws RefusedProperty for the first parameter that a connector does not have
     */
    static void checkConnectors(Configuration configuration, Map<String, String> properties) {
        for (TransportConfiguration one : configuration.getConnectorConfigurations().values()) {
            // A connector without a factory class has the text "null" in place of its name.
            String factory = String.valueOf(one.getFactoryClassName());
            if (!factory.equals("null") && !factory.equals(NettyConnectorFactory.class.getName())) {
                continue;
            }
            for (String name : one.getParams().keySet()) {
                if (!TransportConstants.ALLOWABLE_CONNECTOR_KEYS.contains(name)) {
                    throw refused(CONNECTORS, one, "params", name, properties,
                        unknown("a connector", name, TransportConstants.ALLOWABLE_CONNECTOR_KEYS));
                }
            }
            for (String name : one.getExtraParams().keySet()) {
                throw refused(CONNECTORS, one, "extraParams", name, properties, "a connector has parameters in params alone");
            }
        }
    }

    /** Returns the parameters that can be set on a protocol, also by setters that return their object, which those of a bean must not. */
    private static Set<String> parameters(Class<?> protocol) {
        Set<String> names = new TreeSet<>();
        Arrays.stream(protocol.getMethods())
            .filter(method -> method.getParameterCount() == 1 && !Modifier.isStatic(method.getModifiers()))
            .map(Method::getName).filter(name -> name.matches("set[A-Z].*"))
            .forEach(name -> names.add(Character.toLowerCase(name.charAt(3)) + name.substring(4)));
        return names;
    }

    private static String unknown(String what, String name, Set<String> known) {
        return what + " has no parameter " + name
            + BeanPropertySetter.nearest(name, known.stream()).map(near -> "; did you mean " + near + "?")
                .orElse("");
    }

    private static RefusedProperty refused(String configurations, TransportConfiguration one, String map, String name,
            Map<String, String> properties, String reason) {
        String path = configurations + "." + one.getName() + "." + map + "." + name;
        String given = properties.keySet().stream().filter(key -> key.replace("\"", "").equals(path)).findFirst().orElse(path);
        return new RefusedProperty(BrokerProperties.sentence(given, properties.getOrDefault(given, ""), reason));
    }
}
