package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LocalAgentTest {

    @Test
    void oneThatDoesNotBeginIsNotWaitedForForEver() throws Exception {
        try (LocalAgent agent = LocalAgent.start(new ProcessBuilder("sleep", "100"), "a", "1", "t")) {
            assertThatThrownBy(() -> agent.port(Duration.ofMillis(200))).isInstanceOf(IOException.class)
                .hasMessage("the one that was started as process " + agent.pid() + " does not listen after 0.2 s");
            ProcessHandle.of(agent.pid()).ifPresent(process -> assertThat(process.onExit()).succeedsWithin(Duration.ofSeconds(30)));
        }
    }

    @Test
    void oneThatEndsIsSaid() throws Exception {
        try (LocalAgent agent = LocalAgent.start(new ProcessBuilder("sh", "-c", "read x"), "a", "1", "t")) {
            assertThatThrownBy(() -> agent.port(Duration.ofSeconds(50))).isInstanceOf(IOException.class)
                .hasMessage("its process has ended");
        }
    }
}
