package io.brokermeter.trials.agents.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalAgentTest {

    @Test
    void oneThatDoesNotBeginIsNotWaitedForForEver() throws Exception {
        try (LocalAgent agent = LocalAgent.start(new ProcessBuilder("sleep", "100"), "a", "1", "t")) {
            assertThatThrownBy(() -> agent.port(Duration.ofMillis(200))).isInstanceOf(IOException.class)
                .hasMessage("the one that was started as process " + agent.pid() + " does not listen after 0.2 s");
            ProcessHandle.of(agent.pid()).ifPresent(process -> assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(60)));
        }
    }

    /** The first agent ends only after the second one, so it would be killed if the second one were asked later. */
    @Test
    void allAreAskedToEndBeforeAnyIsWaitedFor(@TempDir Path directory) throws Exception {
        Path second = directory.resolve("second");
        Path first = directory.resolve("first");
        String untilEnd = "while read x; do :; done; ";
        LocalAgent one = LocalAgent.start(new ProcessBuilder("sh", "-c",
            untilEnd + "while [ ! -e '" + second + "' ]; do sleep 0.02; done; : > '" + first + "'"), "a", "1", "t");
        LocalAgent other = LocalAgent.start(new ProcessBuilder("sh", "-c", untilEnd + ": > '" + second + "'"), "b", "1", "t");
        LocalAgent.close(List.of(one, other), Duration.ofSeconds(60));
        assertThat(first).exists();
        assertThat(ProcessHandle.of(one.pid()).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void oneThatEndsIsSaid() throws Exception {
        try (LocalAgent agent = LocalAgent.start(new ProcessBuilder("sh", "-c", "read x"), "a", "1", "t")) {
            assertThatThrownBy(() -> agent.port(Duration.ofSeconds(50))).isInstanceOf(IOException.class)
                .hasMessage("its process has ended");
        }
    }
}
