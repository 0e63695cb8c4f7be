package io.brokermeter.trials.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.network.NetworkPath;
import io.brokermeter.network.NetworkRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Faults on several network paths, the last of which may fail. */
class ConnectionFaultsTest {

    private final List<String> done = new ArrayList<>();
    private final Map<NetworkPath, NetworkRule> lines = new LinkedHashMap<>();
    private final FaultActor faults = new ConnectionFaults(_ -> lines, new NoOthers());

    private void line(String name, String rule, boolean answers) {
        lines.put(new Told(name, answers), NetworkRule.parse(rule));
    }

    @Test
    void aFaultIsMadeOnAllLinesAndUndoneOnAll() throws Exception {
        line("a", "rtt=10ms", true);
        line("b", "none", true);
        Fault delay = Fault.parse("delay connection by 50ms at 1s for 1s");
        assertThat(faults.begin(1, delay).detail()).isEqualTo("6 connections");
        assertThat(done).containsExactly("a rtt=110ms", "b rtt=100ms");
        faults.end(1, delay);
        assertThat(done.subList(2, 4)).containsExactly("a rtt=10ms", "b none");
    }

    @ParameterizedTest
    @CsvSource({"cut,a cut,a heal", "blackhole,a dark,a heal", "delay by 50ms,a rtt=110ms,a rtt=10ms"})
    void whatWasMadeOnALineIsUndoneWhenAnotherOneDoesNotAnswer(String fault, String made, String undone) {
        line("a", "rtt=10ms", true);
        line("b", "none", false);
        String text = fault.replaceFirst("^\\w+", "$0 connection") + " at 1s";
        assertThatThrownBy(() -> faults.begin(1, Fault.parse(text))).hasMessage("b does not answer.").satisfies(
            failure -> assertThat(failure.getSuppressed()).as("it cannot be healed either").hasSize(1));
        assertThat(done).containsExactly(made, undone);
    }

    @Test
    void aDelayThatOneLineCannotKeepChangesNone() {
        line("a", "none", true);
        line("b", "rtt=10ms", true);
        assertThatThrownBy(() -> faults.begin(1, Fault.parse("delay connection by 30s at 1s"))).hasMessageContaining("60010ms");
        assertThat(done).isEmpty();
    }

    private final class Told implements NetworkPath {

        private final String name;
        private final boolean answers;

        Told(String name, boolean answers) {
            this.name = name;
            this.answers = answers;
        }

        private void told(String what) {
            if (!answers) {
                throw new IllegalStateException(name + " does not answer.");
            }
            done.add(name + " " + what);
        }

        @Override
        public InetSocketAddress address() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void rule(NetworkRule other) {
            told(other.toString());
        }

        @Override
        public void cut() {
            told("cut");
        }

        @Override
        public void reset() {
            told("reset");
        }

        @Override
        public void blackHole(boolean on) {
            told(on ? "dark" : "light");
        }

        @Override
        public void heal() {
            told("heal");
        }

        @Override
        public int connections() {
            return 3;
        }

        @Override
        public void close() {
            told("close");
        }
    }

    private static final class NoOthers implements FaultActor {

        @Override
        public Effect begin(int number, Fault fault) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Effect end(int number, Fault fault) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // no fault was begun
        }
    }
}
