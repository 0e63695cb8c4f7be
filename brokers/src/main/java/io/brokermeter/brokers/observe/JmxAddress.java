package io.brokermeter.brokers.observe;

import java.net.MalformedURLException;
import java.util.regex.Pattern;
import javax.management.remote.JMXServiceURL;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The address of a JMX service.
 *
 * @param url URL for the connector
 * @param user name of the user; null for none
 * @param password password; null for none
 */
record JmxAddress(JMXServiceURL url, @Nullable String user, @Nullable Secret password) {

    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[A-Za-z0-9._-]+):([0-9]{1,5})");

    /**
     * Parses {@code [user:password@]host:port} or {@code [user:password@]service:jmx:...}.
     *
     * @throws UsageException when the text has neither form
     */
    static JmxAddress parse(String text) {
        int at = text.lastIndexOf('@');
        String address = text.substring(at + 1).strip();
        String user = null;
        Secret password = null;
        if (at >= 0) {
            String login = text.substring(0, at);
            int colon = login.indexOf(':');
            user = colon < 0 ? login : login.substring(0, colon);
            password = Secret.of(colon < 0 ? "" : login.substring(colon + 1));
        }
        try {
            if (address.startsWith("service:jmx:")) {
                return new JmxAddress(new JMXServiceURL(address), user, password);
            }
            var plain = HOST_AND_PORT.matcher(address);
            if (plain.matches() && isPort(plain.group(2))) {
                return new JmxAddress(
                    new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi"), user, password);
            }
        } catch (MalformedURLException e) {
            throw new UsageException("%s '%s' is not the URL of a JMX service: %s.", Setting.BROKER_JMX, address, e.getMessage());
        }
        throw new UsageException("%s '%s' must be host:port or service:jmx:rmi:///jndi/rmi://host:port/jmxrmi.", Setting.BROKER_JMX,
            address);
    }

    private static boolean isPort(String digits) {
        int port = Integer.parseInt(digits);
        return port > 0 && port < 65_536;
    }

    /** Returns the URL, without the login. */
    @Override
    public String toString() {
        return url.toString();
    }
}
