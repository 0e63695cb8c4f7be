package io.brokermeter.brokers.kind;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerGroup;
import io.brokermeter.brokers.BrokerKind;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.artifact.MavenArtifacts;
import io.brokermeter.brokers.artifact.MissingArtifactException;
import io.brokermeter.brokers.process.HostCommand;
import io.brokermeter.hosts.FreePort;

/** The kind of a Java broker, run by a program of {@code hosts/} with jars from Maven Central. */
abstract class HostKind extends BrokerKind {

    /** The coordinates of the logging backend of the host programs. */
    static final String LOGGER = "org.slf4j:slf4j-jdk14:2.0.20";

    private final String main;
    private final String defaultVersion;

    /**
     * Creates a kind.
     *
     * @param main class of the program, below {@code io.brokermeter.hosts.}
     * @param defaultVersion default version; empty when it is not fixed
     */
    HostKind(String name, String title, String main, String defaultVersion, String... protocols) {
        super(name, title, protocols);
        this.main = "io.brokermeter.hosts." + main;
        this.defaultVersion = defaultVersion;
    }

    /** Returns the version to use when none is requested. */
    String defaultVersion() {
        return defaultVersion;
    }

    /** Returns the coordinates of the artifacts that, with all their dependencies, make up the class path. */
    abstract List<String> roots(String version);

    /** Returns the dependencies to leave out, see {@link MavenArtifacts#classPath}. */
    List<String> exclusions() {
        return List.of();
    }

    /**
     * Returns the coordinates of POMs at least one of which exists for every existing version. An empty list means that nothing has to be
     * fetched.
     *
     * @throws IllegalArgumentException with one sentence for the user, when the version has an invalid form
     */
    List<String> descriptions(String version) {
        return List.of(roots(version).getFirst() + ":pom");
    }

    @Override
    public final void requireVersion(BrokerName asked) throws BrokerException {
        if (!isFetched(asked)) {
            new MavenArtifacts(asked.toString(), sentence -> {}).requireAny(descriptions(asked.version().orElseThrow()));
        }
    }

    @Override
    public final boolean isFetched(BrokerName asked) {
        String version = asked.version().orElseGet(this::defaultVersion);
        return descriptions(version).isEmpty()
            || new MavenArtifacts(title() + " " + version, sentence -> {}).isKnown(roots(version), exclusions());
    }

    /** Returns the jars of the program and of the broker. */
    List<Path> classPath(String version, BrokerOptions options) throws BrokerException {
        MavenArtifacts artifacts = new MavenArtifacts(title() + " " + version, options.progress());
        List<Path> jars = new ArrayList<>(List.of(HostCommand.hostJar(name()), HostCommand.hostJar("base")));
        jars.addAll(jars(artifacts, version));
        return jars;
    }

    /** Returns the jars of the broker and of {@link #LOGGER}. */
    List<Path> jars(MavenArtifacts artifacts, String version) throws BrokerException {
        return artifacts.classPath(roots(version), exclusions());
    }

    /**
     * Returns the jars of the modules if Maven Central has them all, otherwise those of the project's own archive without its logging
     * backend.
     */
    static List<Path> modulesOrArchive(MavenArtifacts artifacts, List<String> modules, String archive,
            String... directories) throws BrokerException {
        try {
            return artifacts.classPath(modules, List.of());
        } catch (MissingArtifactException missing) {
            List<Path> jars = new ArrayList<>(artifacts.classPath(List.of(LOGGER), List.of()));
            try {
                artifacts.archiveJars(archive, List.of(directories)).stream()
                    .filter(jar -> !jar.getFileName().toString().matches("(slf4j|log4j|reload4j|jcl-over).*"))
                    .forEach(jars::add);
            } catch (MissingArtifactException e) {
                missing.addSuppressed(e);
                throw missing;
            }
            return jars;
        }
    }

    @Override
    public final Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
        String version = asked.version().orElseGet(this::defaultVersion);
        BrokerName name = new BrokerName(name(), Optional.of(version));
        BrokerGroup group = new BrokerGroup(name, title(), main, classPath(version, options), options);
        try {
            return start(group);
        } catch (BrokerException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    /** Starts the processes of the topology. If this method throws, the processes that were started are ended. */
    abstract Broker start(BrokerGroup group) throws BrokerException;

    /** Returns free ports for the processes of a topology, the first of them the requested one, if there is one. */
    static List<Integer> ports(BrokerGroup group, int count) throws BrokerException {
        try {
            List<Integer> ports = new ArrayList<>(List.of(FreePort.orAsked(group.options().port())));
            ports.addAll(FreePort.several(count - 1));
            return ports;
        } catch (IOException e) {
            throw new BrokerException("Broker " + group.name() + " finds no free port (" + e.getMessage() + ").", e);
        }
    }
}
