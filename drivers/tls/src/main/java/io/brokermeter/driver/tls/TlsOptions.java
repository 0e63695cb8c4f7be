package io.brokermeter.driver.tls;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.spi.Parameter;
import io.brokermeter.spi.Parameters;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.StoreParameter;

/**
 * How to speak TLS.
 *
 * @param trustStore whom to trust; empty for the JDK's default
 * @param keyStore who we are; empty for nobody
 * @param trustAll whether every certificate will do, for every host
 * @param verifyHost whether the certificate must name the host
 */
public record TlsOptions(Optional<Store> trustStore, Optional<Store> keyStore, boolean trustAll, boolean verifyHost) {

    /** Nothing but what the JDK does by itself: its own authorities, and the host must be named. */
    public static final TlsOptions DEFAULT = new TlsOptions(Optional.empty(), Optional.empty(), false, true);

    /** The parameters of drivers that have no other names for them. */
    public static final List<Parameter> PARAMETERS = List.of(
        new Parameter("trust-store", "FILE", "",
            "Certificates that are trusted, as a PKCS12, JKS or PEM file; the JDK's own unless given."),
        new Parameter("trust-store-password", "TEXT", "", "The password of trust-store."),
        new Parameter("key-store", "FILE", "", "The certificate that this side shows, with its key, as a PKCS12, JKS or PEM file."),
        new Parameter("key-store-password", "TEXT", "", "The password of key-store."),
        new Parameter("trust-all", "true|false", "false", "Whether any certificate of the broker is accepted."),
        new Parameter("verify-host", "true|false", "true", "Whether the broker's certificate must name its host."));

    /** Those of {@link #PARAMETERS} that name files. */
    public static final List<StoreParameter> STORES = List.of(
        new StoreParameter("trust-store", Set.of("trust-store-password")),
        new StoreParameter("key-store", Set.of("key-store-password")));

    /** A driver's own parameters, and {@link #PARAMETERS} after them. */
    public static List<Parameter> with(Parameter... own) {
        return Stream.concat(Stream.of(own), PARAMETERS.stream()).toList();
    }

    /**
     * A file with certificates or keys.
     *
     * @param path a PKCS12 or JKS file, or one in PEM form, whose key is not encrypted
     * @param password empty for none
     */
    public record Store(Path path, Secret password) {}

    /**
     * Reads {@link #PARAMETERS}.
     *
     * @param tls whether the URL asks for TLS
     * @param remedy how to ask for it, for the sentence when one of them is given without: {@code begin the URL with mqtts://}
     * @return empty without TLS
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
            values.flag("trust-all"), values.flag("verify-host")));
    }

    /**
     * Refuses parameters that do nothing without TLS, for a URL that does not ask for it.
     *
     * @param given names of those that the user gave
     * @param remedy how to ask for TLS
     * @throws IllegalArgumentException with one sentence for the user that names the first
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
     * A file that some parameter names.
     *
     * @throws IllegalArgumentException with one sentence when it cannot be read
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
