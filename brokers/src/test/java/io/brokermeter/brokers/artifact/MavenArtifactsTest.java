package io.brokermeter.brokers.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.brokers.BrokerException;
import org.junit.jupiter.api.Test;

/** Artifacts that the build has put into Maven's local repository are found without a network, and missing ones are named. */
class MavenArtifactsTest {

    private final List<String> said = new ArrayList<>();
    private final MavenArtifacts artifacts = new MavenArtifacts("The logger", said::add);

    @Test
    void findsTheJarsThatArtifactsNeed() throws BrokerException {
        List<Path> jars = artifacts.classPath(List.of("org.slf4j:slf4j-jdk14:2.0.20"), List.of());
        assertThat(jars).allMatch(Files::isRegularFile).extracting(jar -> jar.getFileName().toString())
            .containsExactly("slf4j-jdk14-2.0.20.jar", "slf4j-api-2.0.20.jar");
    }

    @Test
    void leavesOutWhatIsExcluded() throws BrokerException {
        assertThat(artifacts.classPath(List.of("org.slf4j:slf4j-jdk14:2.0.20"), List.of("org.slf4j:slf4j-api")))
            .hasSize(1);
    }

    @Test
    void findsTheSameAgain() throws BrokerException {
        List<String> roots = List.of("org.slf4j:slf4j-simple:2.0.20");
        List<Path> first = artifacts.classPath(roots, List.of());
        said.clear();
        assertThat(artifacts.classPath(roots, List.of())).isEqualTo(first).hasSize(2);
        assertThat(said).isEmpty();
    }

    @Test
    void namesAVersionThatThereIsNot() {
        assertThatThrownBy(() -> artifacts.classPath(List.of("org.slf4j:slf4j-jdk14:2.0.999"), List.of()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("The logger cannot be fetched: org.slf4j:slf4j-jdk14:jar:2.0.999 is not in the repository ");
    }

    @Test
    void refusesAVersionThatIsNotOne() {
        for (String version : List.of("[2,3)", "LATEST", "3-SNAPSHOT", "", "../x")) {
            assertThatThrownBy(() -> artifacts.classPath(List.of("org.slf4j:slf4j-jdk14:" + version), List.of()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("is not one fixed version");
        }
    }
}
