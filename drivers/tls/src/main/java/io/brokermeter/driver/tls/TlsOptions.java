package io.brokermeter.driver.tls;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;

import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.StoreParameter;

/**
 * The TLS settings of a connection.
 *
 * @param trustStore the certificates to trust; empty for the JDK's default
 * @param keyStore our own certificate and key; empty for none
 * @param trustAll whether every certificate is accepted, for every host
 * @param verifyHost whether the certificate must name the host
 * @param serverName the name of the server that is sent to it (SNI), and that its certificate must carry; empty for the host of the URL
 */
public record TlsOptions(
        Optional<Store> trustStore, Optional<Store> keyStore, boolean trustAll, boolean verifyHost, Optional<String> serverName) {

    /** The parameter with the name that the server's certificate must carry; not for drivers whose client library chooses that name. */
    public static final String SERVER_NAME = "server-name";

    /** The defaults of the JDK: trusts the JDK's own authorities, shows no certificate, and checks the host. */
    public static final TlsOptions DEFAULT = new TlsOptions(Optional.empty(), Optional.empty(), false, true);

    /** The TLS parameters of drivers that have no other names for them. */
    public static final List<Parameter> PARAMETERS = List.of(
        new Parameter("trust-store", "FILE", "",
            "Certificates that are trusted, as a PKCS12, JKS or PEM file; the JDK's own unless given."),
        new Parameter("trust-store-password", "TEXT", "", "The password of trust-store."),
        new Parameter("key-store", "FILE", "", "The certificate that this side shows, with its key, as a PKCS12, JKS or PEM file."),
        new Parameter("key-store-password", "TEXT", "", "The password of key-store."),
        new Parameter("trust-all", "true|false", "false", "Whether any certificate of the broker is accepted."),
        new Parameter("verify-host", "true|false", "true", "Whether the broker's certificate must name its host."),
        new Parameter(SERVER_NAME, "NAME", "",
            "The name that the broker's certificate must carry, as where a proxy leads to the broker; the host of the URL unless given."));

    /** The {@link #PARAMETERS} that name files. */
    public static final List<StoreParameter> STORES = List.of(
        new StoreParameter("trust-store", Set.of("trust-store-password")),
        new StoreParameter("key-store", Set.of("key-store-password")));

    /** Returns a driver's own parameters, followed by {@link #PARAMETERS}. */
    public static List<Parameter> with(Parameter... own) {
        return Stream.concat(Stream.of(own), PARAMETERS.stream()).toList();
    }

    /** Creates settings without a name of the server other than the host of the URL. */
    public TlsOptions(Optional<Store> trustStore, Optional<Store> keyStore, boolean trustAll, boolean verifyHost) {
        this(trustStore, keyStore, trustAll, verifyHost, Optional.empty());
    }

    /**
     * A file with certificates or keys.
     *
     * @param path a PKCS12, JKS or PEM file; the key in a PEM file must not be encrypted
     * @param password the password of the store; empty for none
     */
    public record Store(Path path, Secret password) {}

    /**
     * Reads {@link #PARAMETERS}.
     *
     * @param tls whether the URL asks for TLS
     * @param remedy how to ask for TLS, for the error message when a parameter is given without TLS: {@code begin the URL with mqtts://}
     * @return the settings; empty without TLS
     * @throws IllegalArgumentException with one sentence for the user
     */
    public static Optional<TlsOptions> of(Parameters values, boolean tls, String remedy) {
        if (!tls) {
            for (Parameter parameter : PARAMETERS) {
                if (values.has(parameter.name())) {
                    throw needsTls(parameter.name(), remedy);
                }
            }
            return Optional.empty();
        }
        return Optional.of(new TlsOptions(store(values, "trust-store"), store(values, "key-store"),
            values.flag("trust-all"), values.flag("verify-host"), serverName(values)));
    }

    private static Optional<String> serverName(Parameters values) {
        if (!values.has(SERVER_NAME)) {
            return Optional.empty();
        }
        Optional<String> name = values.text(SERVER_NAME);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("Parameter " + SERVER_NAME + " needs a name.");
        }
        if (!values.flag("verify-host")) {
            throw new IllegalArgumentException("Parameter " + SERVER_NAME + " says which name the certificate must carry, and"
                + " verify-host=false that it may carry any; leave one of them out.");
        }
        try {
            indication(name.get());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Parameter " + SERVER_NAME + " must be the name of a host, not '" + name.get() + "'.", e);
        }
        return name;
    }

    /** Returns what a client sends to the server as the name of the server (SNI), which an address never is. */
    List<SNIServerName> indication() {
        return serverName.map(TlsOptions::indication).orElse(List.of());
    }

    private static List<SNIServerName> indication(String name) {
        try {
            InetAddress.ofLiteral(name);
            return List.of();
        } catch (IllegalArgumentException e) {
            return List.of(new SNIHostName(name));
        }
    }

    /**
     * Rejects parameters that have no effect without TLS, for a URL that does not ask for TLS.
     *
     * @param given names of the parameters that the user gave
     * @param needTls names of the parameters that have no effect without TLS
     * @param remedy how to ask for TLS
     * @throws IllegalArgumentException with one sentence for the user that names the first such parameter
     */
    public static void refuseWithoutTls(Stream<String> given, Set<String> needTls, String remedy) {
        given.filter(needTls::contains).findFirst().ifPresent(name -> {
            throw needsTls(name, remedy);
        });
    }

    private static IllegalArgumentException needsTls(String parameter, String remedy) {
        return new IllegalArgumentException("Parameter " + parameter + " needs TLS; " + remedy + ".");
    }

    private static Optional<Store> store(Parameters values, String name) {
        Optional<String> file = values.text(name);
        if (file.isEmpty() && values.has(name + "-password")) {
            throw new IllegalArgumentException("Parameter " + name + "-password needs " + name + ".");
        }
        return store(name, file, values.text(name + "-password"));
    }

    /**
     * Returns the file that a parameter names; empty if the parameter is not given.
     *
     * @param name name of the parameter, for the error message
     * @throws IllegalArgumentException with one sentence if the file cannot be read
     */
    public static Optional<Store> store(String name, Optional<String> file, Optional<String> password) {
        if (file.isEmpty()) {
            return Optional.empty();
        }
        Path path = Path.of(file.get());
        if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
            throw new IllegalArgumentException("Parameter " + name + " names '" + path + "', which cannot be read.");
        }
        return Optional.of(new Store(path, Secret.of(password.orElse(""))));
    }
}
