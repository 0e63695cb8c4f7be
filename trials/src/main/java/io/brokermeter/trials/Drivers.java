package io.brokermeter.trials;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Nearest;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.spi.parameter.StoreParameter;
import org.jspecify.annotations.Nullable;

/**
 * The available protocols.
 *
 * @param all every driver on the class path, by name
 */
public record Drivers(List<Driver> all) {

    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://");

    /** The default port of Artemis, whose command lines this tool accepts. */
    private static final int LOCAL_PORT = 61616;
    /** The address to which clients connect by default. */
    public static final String LOCAL = "localhost:" + LOCAL_PORT;
    private static final int PROBE_MILLIS = 300;

    /** Loads the drivers on the class path. */
    public static Drivers load() {
        return new Drivers(ServiceLoader.load(Driver.class).stream().map(ServiceLoader.Provider::get)
            .sorted(Comparator.comparing(Driver::protocol)).toList());
    }

    /** Returns the protocol with a name, which may be written in upper or lower case. */
    public String named(String name, String option) {
        for (Driver driver : all) {
            if (driver.protocol().equalsIgnoreCase(name)) {
                return driver.protocol();
            }
        }
        List<String> names = all.stream().map(Driver::protocol).toList();
        String nearest = Nearest.to(name, names);
        throw new UsageException("Unknown protocol '" + name + "' in " + option
            + (nearest == null ? "; there are " + String.join(", ", names) + "." : "; did you mean " + nearest + "?"));
    }

    /**
     * Returns the protocol of a URL: that of the first scheme in the URL that a driver has. Returns {@code otherwise} when there is no URL
     * or it names no scheme, so that the driver can report what is wrong with it.
     */
    public String ofUrl(@Nullable String url, String otherwise) {
        if (url == null) {
            return otherwise;
        }
        String unknown = null;
        for (Matcher m = SCHEME.matcher(url); m.find();) {
            String scheme = m.group(1).toLowerCase(Locale.ROOT);
            for (Driver driver : all) {
                if (driver.schemes().contains(scheme)) {
                    return driver.protocol();
                }
            }
            unknown = unknown == null ? scheme : unknown;
        }
        if (unknown == null) {
            return otherwise;
        }
        List<String> schemes = all.stream().flatMap(driver -> driver.schemes().stream()).distinct().sorted().toList();
        throw new UsageException("No protocol here has URLs that begin with %s://; there are %s. If the URL is right, name its protocol "
            + "with %s.", unknown, String.join(", ", schemes), Setting.PROTOCOL);
    }

    /**
     * Returns the URL, in the form of a protocol, of a broker that listens on port 61616 of this machine.
     *
     * @param asked the protocol, possibly followed by the number of a broker, as {@code OPENWIRE#2}, which does not matter here
     */
    public String localUrl(String asked) {
        int node = asked.indexOf('#');
        String protocol = node < 0 ? asked : asked.substring(0, node);
        Set<String> schemes = get(protocol).schemes();
        String own = protocol.toLowerCase(Locale.ROOT);
        String scheme = schemes.contains("tcp") ? "tcp" : schemes.contains(own) || schemes.isEmpty() ? own
            : schemes.stream().sorted().findFirst().orElseThrow();
        return scheme + "://" + LOCAL;
    }

    /**
     * Returns the first of some protocols that has a driver.
     *
     * @throws UsageException when none of the protocols has a driver
     */
    public String firstOf(Collection<String> protocols, String broker) {
        return protocols.stream().filter(name -> find(name).isPresent()).findFirst()
            .orElseThrow(() -> new UsageException("Broker " + broker + " speaks " + String.join(", ", protocols)
                + ", for which there is no driver here; 'brokermeter drivers' lists what there is."));
    }

    /** Returns whether a process listens at the default address of clients. Blocks for 300 ms at most. */
    public static boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), LOCAL_PORT), PROBE_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the parameters of a protocol that name files with certificates or keys; none when the protocol has no driver. */
    public List<StoreParameter> stores(String protocol) {
        return find(protocol).map(Driver::stores).orElse(List.of());
    }

    /** Returns the same parameters from the drivers on the class path, which are loaded once, at the first call. */
    public static List<StoreParameter> storesOf(String protocol) {
        return OnClassPath.ALL.stores(protocol);
    }

    /**
     * Returns the names of the parameters of a protocol, those of its client library among them; none where the library's names are not
     * known, or when the protocol has no driver.
     */
    public Set<String> parameterNames(String protocol) {
        return find(protocol).filter(driver -> !driver.clientParameterNames().isEmpty())
            .map(driver -> Stream.concat(driver.parameters().stream().map(Parameter::name), driver.clientParameterNames().stream())
                .collect(Collectors.toUnmodifiableSet()))
            .orElse(Set.of());
    }

    private static final class OnClassPath {

        static final Drivers ALL = load();

        private OnClassPath() {}
    }

    private Optional<Driver> find(String protocol) {
        return all.stream().filter(driver -> driver.protocol().equals(protocol)).findFirst();
    }

    /** Returns the driver of a protocol, which must have one. */
    public Driver get(String protocol) {
        return find(protocol).orElseThrow();
    }
}
