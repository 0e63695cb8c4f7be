package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.brokermeter.hosts.FreePort;

/** A Java broker, run by a program of {@code hosts/} with jars from Maven Central. */
abstract class HostKind extends BrokerKind {

    /** What our programs log with. */
    static final String LOGGER = "org.slf4j:slf4j-jdk14:2.0.20";

    private final String main;
    private final String defaultVersion;

    /**
     * @param main the class of the program, below {@code io.brokermeter.hosts.}
     * @param defaultVersion empty when it is not fixed
     */
    HostKind(String name, String title, String main, String defaultVersion, String... protocols) {
        super(name, title, protocols);
        this.main = "io.brokermeter.hosts." + main;
        this.defaultVersion = defaultVersion;
    }

    /** The version to take when none is asked for. */
    String defaultVersion() {
        return defaultVersion;
    }

    /** What a class path is made from, as coordinates, with what all of it needs. */
    abstract List<String> roots(String version);

    /** What is left out of it; see {@link MavenArtifacts#classPath}. */
    List<String> exclusions() {
        return List.of();
    }

    /**
     * POMs that are there for a version that is there: one is enough, and none means that nothing has to be fetched.
     *
     * @throws IllegalArgumentException with one sentence for the user, when the version is none
     */
    List<String> descriptions(String version) {
        return List.of(roots(version).getFirst() + ":pom");
    }

    @Override
    final void requireVersion(BrokerName asked) throws BrokerException {
        if (!isFetched(asked)) {
            new MavenArtifacts(asked.toString(), sentence -> {}).requireAny(descriptions(asked.version().orElseThrow()));
        }
    }

    @Override
    final boolean isFetched(BrokerName asked) {
        String version = asked.version().orElseGet(this::defaultVersion);
        return descriptions(version).isEmpty()
            || new MavenArtifacts(title() + " " + version, sentence -> {}).isKnown(roots(version), exclusions());
    }

    /** The jars of the program and of the broker. */
    List<Path> classPath(String version, BrokerOptions options) throws BrokerException {
        MavenArtifacts artifacts = new MavenArtifacts(title() + " " + version, options.progress());
        List<Path> jars = new ArrayList<>(List.of(HostCommand.hostJar(name()), HostCommand.hostJar("base")));
        jars.addAll(jars(artifacts, version));
        return jars;
    }

    /** The jars of the broker and of {@link #LOGGER}. */
    List<Path> jars(MavenArtifacts artifacts, String version) throws BrokerException {
        return artifacts.classPath(roots(version), exclusions());
    }

    /** The modules where Maven Central has them all; otherwise the project's own archive without what that logs with. */
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
    final Broker start(BrokerName asked, BrokerOptions options) throws BrokerException {
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

    /** Starts the processes of the topology; when it throws, those that were started are ended. */
    abstract Broker start(BrokerGroup group) throws BrokerException;

    /** Free ports for the processes of a topology, the first of them the one that was asked for, if one was. */
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
