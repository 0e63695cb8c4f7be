package io.brokermeter.brokers.artifact;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import eu.maveniverse.maven.mima.context.Context;
import eu.maveniverse.maven.mima.context.ContextOverrides;
import eu.maveniverse.maven.mima.context.Runtimes;
import io.brokermeter.brokers.BrokerException;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.eclipse.aether.RepositoryException;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.collection.CollectResult;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.Exclusion;
import org.eclipse.aether.repository.LocalArtifactRequest;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.repository.RepositoryPolicy;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.transfer.ArtifactNotFoundException;
import org.eclipse.aether.transfer.ArtifactTransferException;
import org.eclipse.aether.transfer.RepositoryOfflineException;
import org.eclipse.aether.util.artifact.ArtifactIdUtils;
import org.eclipse.aether.util.artifact.JavaScopes;
import org.eclipse.aether.util.graph.visitor.PreorderNodeListGenerator;
import org.eclipse.aether.util.repository.SimpleResolutionErrorPolicy;

/** A use of Maven's resolver with the user's settings. Loading this class loads the classes of the resolver. */
final class MavenResolution implements AutoCloseable {

    private static final String CONNECTOR = "aether.connector.";
    private static final int CONNECT_MILLIS = 10_000;
    private static final int READ_MILLIS = 30_000;

    private final String title;
    private final FetchProgress progress;
    private final Context context;
    private final DefaultRepositorySystemSession session;

    /** Creates a resolver, see {@link MavenArtifacts#MavenArtifacts}. */
    MavenResolution(String title, Consumer<String> listener) {
        this.title = title;
        progress = new FetchProgress(title, listener);
        ContextOverrides.Builder overrides = ContextOverrides.create()
            .withUserSettings(true)
            .ignoreArtifactDescriptorRepositories(true)
            .checksumPolicy(ContextOverrides.ChecksumPolicy.FAIL)
            .configProperties(Map.of(CONNECTOR + "connectTimeout", CONNECT_MILLIS, CONNECTOR + "requestTimeout", READ_MILLIS));
        if (System.getenv("MAVEN_HOME") == null) {
            mavenOfPath().ifPresent(overrides::withMavenSystemHomeOverride);
        }
        Optional.ofNullable(System.getProperty("maven.repo.local"))
            .ifPresent(place -> overrides.withLocalRepositoryOverride(Path.of(place).toAbsolutePath()));
        context = Runtimes.INSTANCE.getRuntime().create(overrides.build());
        session = new DefaultRepositorySystemSession(context.repositorySystemSession());
        session.setTransferListener(progress);
        // A fixed version never changes, so nothing is requested again; but a version that was missing once may exist now.
        session.setUpdatePolicy(RepositoryPolicy.UPDATE_POLICY_NEVER);
        session.setResolutionErrorPolicy(new SimpleResolutionErrorPolicy(false, false));
    }

    /**
     * Returns the Maven installation on the PATH, whose {@code conf/settings.xml} applies to all users of the machine, as it does for the
     * command {@code mvn}.
     */
    private static Optional<Path> mavenOfPath() {
        return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(java.io.File.pathSeparator))
            .filter(directory -> !directory.isEmpty())
            .map(directory -> Path.of(directory, "mvn"))
            .filter(Files::isExecutable).findFirst()
            .map(command -> {
                try {
                    return command.toRealPath().resolve("../..").normalize();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            })
            .filter(home -> Files.isReadable(home.resolve("conf").resolve("settings.xml")));
    }

    /** Resolves a class path, see {@link MavenArtifacts#classPath}. */
    List<Path> classPath(List<String> roots, List<String> exclusions) throws BrokerException {
        List<Exclusion> excluded = exclusions.stream().map(text -> {
            String[] parts = text.split(":");
            return new Exclusion(parts[0], parts[1], "*", "*");
        }).toList();
        CollectRequest request = new CollectRequest();
        request.setRepositories(context.remoteRepositories());
        for (String root : roots) {
            Dependency dependency = new Dependency(artifact(root), JavaScopes.RUNTIME);
            request.addDependency(dependency.setExclusions(excluded));
        }
        List<Artifact> artifacts;
        try {
            CollectResult collected = context.repositorySystem().collectDependencies(session, request);
            PreorderNodeListGenerator order = new PreorderNodeListGenerator();
            collected.getRoot().accept(order);
            Map<String, Artifact> unique = new LinkedHashMap<>();
            for (Dependency dependency : order.getDependencies(true)) {
                unique.putIfAbsent(ArtifactIdUtils.toVersionlessId(dependency.getArtifact()), dependency.getArtifact());
            }
            artifacts = List.copyOf(unique.values());
        } catch (RepositoryException e) {
            throw failure(e);
        }
        return fetch(artifacts);
    }

    /** Returns a single file without its dependencies. */
    Path file(String coordinates) throws BrokerException {
        return fetch(List.of(artifact(coordinates))).getFirst();
    }

    private List<Path> fetch(List<Artifact> artifacts) throws BrokerException {
        List<ArtifactRequest> requests = new ArrayList<>();
        int missing = 0;
        for (Artifact artifact : artifacts) {
            requests.add(new ArtifactRequest(artifact, context.remoteRepositories(), null));
            if (!session.getLocalRepositoryManager()
                .find(session, new LocalArtifactRequest(artifact, context.remoteRepositories(), null)).isAvailable()) {
                missing++;
            }
        }
        progress.expect(missing);
        try {
            List<Path> files = new ArrayList<>();
            for (ArtifactResult result : context.repositorySystem().resolveArtifacts(session, requests)) {
                files.add(result.getArtifact().getFile().toPath());
            }
            return List.copyOf(files);
        } catch (ArtifactResolutionException e) {
            throw failure(e);
        } finally {
            progress.end();
        }
    }

    private String repositories() {
        return context.remoteRepositories().stream().map(MavenResolution::named).collect(Collectors.joining(" or "));
    }

    private static String named(RemoteRepository repository) {
        URI uri = URI.create(repository.getUrl().replace(" ", "%20"));
        String url = uri.getUserInfo() == null ? repository.getUrl()
            : repository.getUrl().replace(uri.getRawUserInfo() + "@", "");
        return "the repository " + repository.getId() + " (" + url + ")";
    }

    private BrokerException failure(RepositoryException thrown) {
        Throwable last = thrown;
        Artifact artifact = null;
        boolean offline = false;
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            last = cause;
            if (cause instanceof ArtifactTransferException transfer) {
                artifact = transfer.getArtifact();
            }
            offline |= cause instanceof RepositoryOfflineException;
        }
        if (artifact == null && thrown instanceof ArtifactResolutionException resolution) {
            artifact = resolution.getResults().stream().filter(result -> !result.isResolved())
                .map(result -> result.getRequest().getArtifact()).findFirst().orElse(null);
        }
        String beginning = title + " cannot be fetched: ";
        if (offline) {
            return new BrokerException(beginning + artifact + " is not on this machine yet, and Maven's settings say offline.",
                thrown);
        }
        if (artifact != null && last instanceof ArtifactNotFoundException) {
            throw new MissingArtifactException(beginning + artifact + " is not in " + repositories()
                + "; choose another version.", thrown);
        }
        String cause = last instanceof RepositoryException ? String.valueOf(last.getMessage()) : last.toString();
        return new BrokerException(beginning + (artifact == null ? "" : artifact + " from " + repositories() + ": ")
            + cause.replaceAll("\\s*\\R\\s*", " ") + ".", thrown);
    }

    /**
     * Parses the coordinates of an artifact.
     *
     * @throws IllegalArgumentException when the coordinates are malformed or do not name one fixed version
     */
    private static Artifact artifact(String coordinates) {
        String[] parts = coordinates.split(":", -1);
        if (parts.length < 3 || parts.length > 5) {
            throw new IllegalArgumentException(
                "Coordinates " + coordinates + " are not group:artifact:version[:extension[:classifier]].");
        }
        String version = parts[2];
        if (!version.matches("[A-Za-z0-9][A-Za-z0-9.+_-]*") || version.endsWith("-SNAPSHOT")
            || version.equals("LATEST") || version.equals("RELEASE")) {
            throw new IllegalArgumentException("Version '" + version + "' of " + parts[0] + ":" + parts[1]
                + " is not one fixed version.");
        }
        return new DefaultArtifact(parts[0], parts[1], parts.length > 4 ? parts[4] : "",
            parts.length > 3 ? parts[3] : "jar", version);
    }

    @Override
    public void close() {
        context.close();
    }
}
