package io.brokermeter.driver.jakarta;

import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.driver.jms.BrokerUrl;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.BeanProperties;
import io.brokermeter.spi.parameter.Parameters;
import jakarta.jms.ConnectionFactory;
import org.jspecify.annotations.Nullable;

/** The user's settings for the provider's connection factory: either a class with its bean properties, or a look-up in JNDI. Immutable. */
final class FactorySettings {

    static final String SCHEME = "jms:";
    private static final String BEAN = "factory.";
    private static final String JNDI = "jndi.";
    /** The names that providers give to the bean property for the broker's URL. */
    private static final List<String> URL_PROPERTIES =
        List.of("brokerURL", "remoteURI", "uri", "url", "serverUrl", "providerUrl");
    /**
     * Two properties of RabbitMQ's factory. Older versions trust every certificate without the first, and accept any host without the
     * second.
     */
    private static final List<String> VERIFICATIONS = List.of("useDefaultSslContext", "hostnameVerification");

    private final BrokerUrl url;
    private final boolean isBare;
    private final Parameters parameters;
    private final @Nullable String className;

    private FactorySettings(BrokerUrl url, boolean isBare, Parameters parameters) {
        this.url = url;
        this.isBare = isBare;
        this.parameters = parameters;
        this.className = parameters.text("factory").orElse(null);
    }

    /** @throws IllegalArgumentException with one sentence for the user about what is unknown or missing */
    static FactorySettings of(JakartaDriver driver, ConnectionSettings settings) {
        BrokerUrl url = BrokerUrl.of(settings.url());
        boolean isBare = settings.url().strip().toLowerCase(Locale.ROOT).startsWith(SCHEME);
        Map<String, String> query = new LinkedHashMap<>();
        if (isBare) {
            url.parameters().forEach(parameter -> query.put(parameter.name(), parameter.value()));
        }
        var free = Stream.concat(query.keySet().stream(), settings.properties().keySet().stream())
            .filter(name -> name.startsWith(BEAN) || name.startsWith(JNDI)).collect(Collectors.toSet());
        FactorySettings factory = new FactorySettings(url, isBare, Parameters.of(driver, query, settings.properties(), free));
        boolean isLookedUp = factory.isLookedUp();
        if ((factory.className == null) == !isLookedUp) {
            throw new IllegalArgumentException("Protocol JMS needs either the parameter factory, the class of the provider's"
                + " connection factory, or the parameter jndi, a file of JNDI properties; give one of them.");
        }
        factory.refuseWhatIsNotUsed(isLookedUp);
        factory.parameters.choice("sends", "auto", "async", "sync");
        return factory;
    }

    private void refuseWhatIsNotUsed(boolean isLookedUp) {
        if (!isLookedUp && parameters.has("connection-factory")) {
            throw new IllegalArgumentException("Parameter connection-factory is the name under which JNDI finds one, and needs jndi or"
                + " jndi.NAME; leave it out.");
        }
        if (isLookedUp && !beans().isEmpty()) {
            throw new IllegalArgumentException("Parameter " + BEAN + beans().keySet().iterator().next() + " needs factory; a connection"
                + " factory that JNDI finds is taken as it is.");
        }
    }

    private boolean isLookedUp() {
        return parameters.has("jndi") || parameters.others().keySet().stream().anyMatch(name -> name.startsWith(JNDI));
    }

    /** Returns how messages are sent: {@code auto}, {@code async} or {@code sync}. */
    String sends() {
        return parameters.choice("sends", "auto", "async", "sync");
    }

    /** Returns the broker's URL for error messages, if one is known; otherwise the bare scheme. */
    BrokerUrl brokerUrl() {
        if (!isBare) {
            return url;
        }
        return beans().values().stream().filter(value -> value.contains("://")).findFirst().map(BrokerUrl::of)
            .orElse(BrokerUrl.of(SCHEME));
    }

    /** Returns the class loader of the provider's jars, or our own if the user names none. */
    ClassLoader loader() {
        Optional<String> jars = parameters.text(JakartaDriver.JARS);
        return jars.isPresent() ? ProviderLoader.of(jars.get()) : FactorySettings.class.getClassLoader();
    }

    private Map<String, String> beans() {
        return named(BEAN);
    }

    private Map<String, String> named(String prefix) {
        Map<String, String> result = new LinkedHashMap<>();
        parameters.others().forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                result.put(name.substring(prefix.length()), value);
            }
        });
        return result;
    }

    /**
     * Creates the connection factory. Only a look-up in JNDI lets the provider use the network.
     *
     * @throws IllegalArgumentException with one sentence for the user that names the setting that cannot be used
     */
    ConnectionFactory make() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader loader = loader();
        thread.setContextClassLoader(loader);
        try {
            String name = className;
            return name == null ? lookUp() : build(name, loader);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Checks the settings without using the network: creates and discards a factory given by its class, or reads the JNDI properties. */
    void check() {
        if (className != null) {
            close(make());
        } else {
            loader();
            environment();
        }
    }

    static void close(ConnectionFactory factory) {
        if (factory instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                // nothing that the factory holds is needed any more
            }
        }
    }

    private ConnectionFactory build(String name, ClassLoader loader) {
        Object made;
        Map<String, String> beans = new LinkedHashMap<>(beans());
        try {
            Class<?> type = Class.forName(name, true, loader);
            Map<String, Method> setters = BeanProperties.of(type);
            if (asksForTls() && setters.keySet().containsAll(VERIFICATIONS)) {
                VERIFICATIONS.forEach(verification -> beans.putIfAbsent(verification, "true"));
            }
            Optional<String> property = URL_PROPERTIES.stream().filter(setters::containsKey).findFirst();
            if (isBare) {
                made = type.getConstructor().newInstance();
            } else if (property.isPresent()) {
                made = type.getConstructor().newInstance();
                beans.putIfAbsent(property.get(), url.reveal());
            } else {
                made = type.getConstructor(String.class).newInstance(url.reveal());
            }
        } catch (ClassNotFoundException | LinkageError e) {
            throw new IllegalArgumentException("The connection factory " + name + " cannot be loaded (" + e
                + "); name all jars of the provider in the parameter client-jars.", e);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("The connection factory " + name + " refuses the URL '" + url.redacted()
                + "' (" + text(e) + ").", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("The connection factory " + name + " has no constructor that "
                + (isBare ? "takes nothing" : "takes a URL") + "; give what it needs as factory.NAME=VALUE, with the URL jms:.",
                e);
        }
        if (!(made instanceof ConnectionFactory factory)) {
            throw new IllegalArgumentException("The class " + name + " is no jakarta.jms.ConnectionFactory.");
        }
        beans.forEach((property, value) -> set(factory, property, value));
        return factory;
    }

    private boolean asksForTls() {
        return brokerUrl().brokers().stream().anyMatch(broker -> broker.regionMatches(true, 0, "amqps:", 0, 6))
            || "true".equals(beans().get("ssl"));
    }

    private static void set(ConnectionFactory factory, String property, String value) {
        Method setter = BeanProperties.of(factory.getClass()).get(property);
        if (setter == null) {
            throw new IllegalArgumentException("The connection factory " + factory.getClass().getName()
                + " has no property '" + property + "' of a simple type, so " + BEAN + property + " cannot be used.");
        }
        try {
            setter.invoke(factory, BeanProperties.parse(setter.getParameterTypes()[0], value));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The value of " + BEAN + property + " must be " + e.getMessage() + ".", e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("The connection factory " + factory.getClass().getName()
                + " refuses a value of " + BEAN + property + " (" + text(e) + ").", e);
        }
    }

    @SuppressWarnings("BanJNDI") // the user names the name space on the command line
    private ConnectionFactory lookUp() {
        String name = parameters.text("connection-factory").orElse("");
        try {
            javax.naming.InitialContext context = new javax.naming.InitialContext(environment());
            try {
                if (context.lookup(name) instanceof ConnectionFactory factory) {
                    return factory;
                }
            } finally {
                context.close();
            }
        } catch (javax.naming.NamingException | LinkageError e) {
            throw new IllegalArgumentException("JNDI does not find the connection factory '" + name + "' (" + text(e)
                + "); check jndi, jndi.NAME and connection-factory.", e);
        }
        throw new IllegalArgumentException("What JNDI has as '" + name + "' is no jakarta.jms.ConnectionFactory.");
    }

    @SuppressWarnings("JdkObsolete") // the type that JNDI takes
    private Hashtable<Object, Object> environment() {
        Properties properties = new Properties();
        Optional<String> file = parameters.text("jndi");
        if (file.isPresent()) {
            try {
                String text = Files.readString(Path.of(file.get()));
                properties.load(new StringReader(text.startsWith("\uFEFF") ? text.substring(1) : text));
            } catch (CharacterCodingException e) {
                throw new IllegalArgumentException("The file of JNDI properties " + file.get() + " is not a text in UTF-8.", e);
            } catch (IOException e) {
                throw new IllegalArgumentException("The file of JNDI properties " + file.get() + " cannot be read (" + e + ").",
                    e);
            }
        }
        if (!isBare) {
            properties.put(javax.naming.Context.PROVIDER_URL, url.reveal());
        }
        properties.putAll(named(JNDI));
        return properties;
    }

    private static String text(Throwable thrown) {
        Throwable cause = thrown instanceof InvocationTargetException && thrown.getCause() != null
            ? thrown.getCause() : thrown;
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
