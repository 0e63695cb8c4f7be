package io.brokermeter.driver.jms;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.brokermeter.spi.ConnectionSettings;

/**
 * A broker URL in any of the forms that JMS clients read: {@code tcp://host:port?name=value}, several brokers as
 * {@code (tcp://a,tcp://b)?name=value}, {@code failover:(amqp://a,amqp://b)?name=value}, and further brokers behind a {@code #}. Immutable.
 */
public final class BrokerUrl {

    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*(?=://)");
    private static final Pattern USER_INFO = Pattern.compile("(?<=://)[^/@?,)#]*@");

    private final String text;

    private BrokerUrl(String text) {
        this.text = text;
    }

    /**
     * One parameter of a URL, decoded.
     *
     * @param name name of the parameter
     * @param value value of the parameter; empty if it has none
     */
    public record Parameter(String name, String value) {

        private boolean isSecret() {
            return ConnectionSettings.isSecret(name);
        }
    }

    public static BrokerUrl of(String text) {
        return new BrokerUrl(text.strip());
    }

    /**
     * Returns the URL of the settings with their further parameters added to the query.
     *
     * @throws IllegalArgumentException with one sentence for the user, if a parameter is also in the URL
     */
    public static BrokerUrl of(ConnectionSettings settings) {
        var url = of(settings.url());
        for (var property : settings.properties().entrySet()) {
            if (url.has(property.getKey())) {
                throw new IllegalArgumentException("Parameter " + property.getKey()
                    + " is given twice, in the URL and as a property; give it once.");
            }
            url = url.with(encode(property.getKey()), encode(property.getValue()));
        }
        return url;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns whether the brokers are listed in parentheses. */
    public boolean isList() {
        return text.indexOf('(') >= 0;
    }

    /** Returns the URLs of the brokers, each with its own parameters only. */
    public List<String> brokers() {
        var result = new ArrayList<String>();
        int open = text.indexOf('(');
        int close = text.lastIndexOf(')');
        if (open >= 0 && close > open) {
            for (var broker : text.substring(open + 1, close).split(",", -1)) {
                result.add(broker);
            }
            return result;
        }
        int fragment = text.indexOf('#');
        result.add(fragment < 0 ? text : text.substring(0, fragment));
        if (fragment >= 0) {
            result.addAll(List.of(text.substring(fragment + 1).split(",", -1)));
        }
        return result;
    }

    /** Returns all parameters in their order, including those of single brokers. */
    public List<Parameter> parameters() {
        var result = new ArrayList<Parameter>();
        eachQuery((name, value, start, end) -> result.add(new Parameter(decode(name), decode(value))));
        return result;
    }

    /** Returns whether the parameter is present, with any value. */
    public boolean has(String name) {
        return parameters().stream().anyMatch(parameter -> parameter.name().equals(name));
    }

    /** Returns the value of the first parameter of that name; empty if there is none. */
    public Optional<String> value(String name) {
        return parameters().stream().filter(parameter -> parameter.name().equals(name)).map(Parameter::value).findFirst();
    }

    /** Returns this URL with a parameter added for all brokers. */
    public BrokerUrl with(String name, String value) {
        int fragment = isList() ? -1 : text.indexOf('#');
        var head = fragment < 0 ? text : text.substring(0, fragment);
        var tail = fragment < 0 ? "" : text.substring(fragment);
        boolean query = head.indexOf('?', Math.max(0, head.lastIndexOf(')'))) >= 0;
        return new BrokerUrl(head + (query ? "&" : "?") + name + "=" + value + tail);
    }

    /** Returns this URL with a parameter added, unless it is present. */
    public BrokerUrl withDefault(String name, String value) {
        return has(name) ? this : with(name, value);
    }

    /** Returns this URL without a parameter, wherever it is. */
    public BrokerUrl without(String name) {
        var pattern = Pattern.compile("([?&;])" + Pattern.quote(name) + "(=[^&;,)#]*)?(?=[&;,)#]|$)([&;])?");
        return new BrokerUrl(pattern.matcher(text).replaceAll(
            match -> match.group(3) != null ? match.group(1) : ""));
    }

    /** Returns this URL with the scheme of each broker replaced. */
    public BrokerUrl withSchemes(UnaryOperator<String> change) {
        return new BrokerUrl(SCHEME.matcher(text).replaceAll(match -> change.apply(match.group())));
    }

    /** Returns the URL with its text changed. */
    public BrokerUrl withText(UnaryOperator<String> change) {
        return new BrokerUrl(change.apply(text));
    }

    /** Returns whether a broker has this scheme. */
    public boolean hasScheme(String scheme) {
        return SCHEME.matcher(text).results().anyMatch(match -> match.group().equals(scheme));
    }

    /**
     * Checks that each broker has a host and a legal port.
     *
     * @throws IllegalArgumentException with one sentence for the user
     */
    public void checkBrokers() {
        checkBrokers(this);
    }

    /** Checks this URL, which was derived from the user's URL {@code given}; error messages show the latter. */
    public void checkBrokers(BrokerUrl given) {
        for (var broker : brokers()) {
            URI uri;
            if (broker.isBlank()) {
                throw new IllegalArgumentException("URL '" + given.redacted() + "' names a broker that is empty; each needs a URL, as "
                    + "tcp://localhost:61616.");
            }
            try {
                uri = new URI(broker.strip());
            } catch (URISyntaxException e) {
                throw new IllegalArgumentException("URL '" + given.redacted() + "' cannot be read: " + e.getReason()
                    + " at position " + e.getIndex() + " of '" + of(broker).redacted() + "'.", e);
            }
            if (uri.getScheme() == null) {
                throw new IllegalArgumentException(
                    "URL '" + given.redacted() + "' must start with a scheme, as in tcp://localhost:61616.");
            }
            if (uri.getHost() == null || uri.getPort() > 65_535 || uri.getPort() == 0) {
                throw new IllegalArgumentException("URL '" + given.redacted()
                    + "' must name a host and a port from 1 to 65535, as in tcp://localhost:61616.");
            }
        }
    }

    /** Returns the URL with all passwords and other secrets masked. */
    public String redacted() {
        var result = new StringBuilder(text);
        var secrets = new ArrayList<int[]>();
        eachQuery((name, value, start, end) -> {
            if (new Parameter(decode(name), value).isSecret()) {
                secrets.add(new int[] {start, end});
            }
        });
        for (var range : secrets.reversed()) {
            result.replace(range[0], range[1], "***");
        }
        return USER_INFO.matcher(result).replaceAll("***@");
    }

    @Override
    public String toString() {
        return redacted();
    }

    /** Returns the unmasked URL, for the client library only. */
    public String reveal() {
        return text;
    }

    private interface ParameterVisitor {

        void visit(String name, String value, int valueStart, int valueEnd);
    }

    private void eachQuery(ParameterVisitor visitor) {
        boolean list = isList();
        int at = 0;
        while (true) {
            at = text.indexOf('?', at);
            if (at < 0) {
                return;
            }
            at++;
            int end = at;
            boolean inside = list && end < text.lastIndexOf(')') || text.lastIndexOf('#', at) >= 0;
            while (end < text.length() && text.charAt(end) != ')' && text.charAt(end) != '#'
                && !(inside && text.charAt(end) == ',')) {
                end++;
            }
            int start = at;
            for (int i = at; i <= end; i++) {
                if (i == end || text.charAt(i) == '&' || text.charAt(i) == ';') {
                    if (i > start) {
                        int equals = text.indexOf('=', start);
                        boolean hasValue = equals >= 0 && equals < i;
                        int nameEnd = hasValue ? equals : i;
                        int valueStart = hasValue ? equals + 1 : i;
                        visitor.visit(text.substring(start, nameEnd), text.substring(valueStart, i), valueStart, i);
                    }
                    start = i + 1;
                }
            }
            at = end;
        }
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
