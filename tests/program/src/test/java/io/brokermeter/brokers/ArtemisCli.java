package io.brokermeter.brokers;

import java.nio.file.Path;
import java.util.List;

/** The command line of Apache Artemis, the tool whose {@code perf} commands ours take the place of. */
public final class ArtemisCli {

    /** The newest whose command line is in Maven Central. */
    private static final String VERSION = "2.44.0";

    private ArtemisCli() {}

    /** Its jars, fetched once. */
    public static List<Path> classPath() throws BrokerException {
        return new MavenArtifacts("the command line of Apache Artemis " + VERSION, sentence -> {})
            .classPath(List.of("org.apache.activemq:artemis-cli:" + VERSION), List.of());
    }
}
