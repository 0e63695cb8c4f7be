package io.brokermeter.hosts.qpid;

import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.hosts.HostArguments;
import org.jspecify.annotations.Nullable;

/** The configuration with which a broker starts, in the broker's own form: JSON. */
final class Configuration {

    static final String MAIN_PORT = "AMQP091";
    static final String AMQP_1_0_PORT = "AMQP";

    private static final String ALIASES = """
        [{"name": "nameAlias", "type": "nameAlias"}, {"name": "defaultAlias", "type": "defaultAlias"},
         {"name": "hostnameAlias", "type": "hostnameAlias"}]""";

    /** Policy that creates queues at their first use, since AMQP 1.0 has no way to create one. */
    private static final String CREATION = """
        [{"pattern": ".*", "nodeType": "queue", "createdOnPublish": true, "createdOnConsume": true, "attributes": {}}]""";

    private Configuration() {}

    /**
     * Formats the configuration.
     *
     * @param store directory of the messages of a persistent broker
     * @param password password of the one user in the arguments; null if there is no such user
     */
    static String of(HostArguments arguments, Path store, @Nullable String password) {
        boolean persistent = arguments.persistent();
        String virtualHost = "{\"type\": " + (persistent
            ? "\"DERBY\", \"storePath\": " + quote(store.toString()) : "\"Memory\"")
            + ", \"nodeAutoCreationPolicies\": " + CREATION + "}";
        boolean isOpen = password == null;
        String user = arguments.setting("user").orElse("guest");
        return """
            {"name": "brokermeter", "modelVersion": "8.0",
             "context": %s,
             "authenticationproviders": [
              {"name": "users", "type": "Plain", "secureOnlyMechanisms": [],
               "users": [{"name": %s, "type": "managed", "password": %s}]},
              {"name": "everybody", "type": "Anonymous"}],
             "ports": [
              {"name": %s, "port": %d, "bindingAddress": "127.0.0.1", "protocols": ["AMQP_0_9_1", "AMQP_0_9"],
               "authenticationProvider": "users", "virtualhostaliases": %s},
              {"name": %s, "port": %d, "bindingAddress": "127.0.0.1", "protocols": ["AMQP_1_0"],
               "authenticationProvider": "%s", "virtualhostaliases": %s}],
             "virtualhostnodes": [
              {"name": "default", "type": "%s", "defaultVirtualHostNode": "true",
               "virtualHostInitialConfiguration": %s}]}
            """.formatted(context(arguments.properties()), quote(user), quote(isOpen ? "guest" : password),
            quote(MAIN_PORT), arguments.port(), ALIASES, quote(AMQP_1_0_PORT), arguments.port(AMQP_1_0_PORT),
            isOpen ? "everybody" : "users", ALIASES,
            persistent ? "JSON" : "Memory", quote(virtualHost));
    }

    private static String context(Map<String, String> properties) {
        StringBuilder text = new StringBuilder("{");
        properties.forEach((name, value) -> text.append(text.length() > 1 ? ", " : "")
            .append(quote(name)).append(": ").append(quote(value)));
        return text.append('}').toString();
    }

    private static String quote(@Nullable String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : String.valueOf(text).toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append("\\u%04x".formatted((int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
