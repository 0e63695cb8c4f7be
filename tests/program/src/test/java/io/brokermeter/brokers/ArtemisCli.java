package io.brokermeter.brokers;

import java.nio.file.Path;
import java.util.List;

import io.brokermeter.brokers.artifact.MavenArtifacts;

/** The command line of Apache Artemis, whose {@code perf} commands brokermeter can replace. */
public final class ArtemisCli {

    /** The newest version whose command line is in Maven Central. */
    private static final String VERSION = "2.44.0";

    private ArtemisCli() {}

    /** Returns the jars of the command line, which are fetched once. */
    public static List<Path> classPath() throws BrokerException {
        return new MavenArtifacts("the command line of Apache Artemis " + VERSION, sentence -> {})
            .classPath(List.of("org.apache.activemq:artemis-cli:" + VERSION), List.of());
    }
}
