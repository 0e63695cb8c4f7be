package io.brokermeter.engine.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlGroupTest {

    @TempDir
    Path directory;

    @Test
    void versionTwoIsReadUpToTheRoot() throws Exception {
        stat("user/job", "usage_usec 9\nnr_periods 10\nnr_throttled 0\nthrottled_usec 0\n");
        stat("user", "nr_periods 100\nnr_throttled 10\nthrottled_usec 1000000\n");
        ControlGroup group = group("0::/user/job\n");
        List<ControlGroup.Reading> before = group.read();
        stat("user", "nr_periods 200\nnr_throttled 60\nthrottled_usec 4000000\n");

        ControlGroup.Throttle seen = ControlGroup.between(before, group.read(), 10);
        assertThat(seen.periods()).isEqualTo(100);
        assertThat(seen.throttled()).isEqualTo(50);
        assertThat(seen.share()).isCloseTo(0.3, within(1e-9));
    }

    @Test
    void versionOneIsReadFromItsOwnMountInNanoseconds() throws Exception {
        stat("cpu,cpuacct/box", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
        ControlGroup group = group("5:memory:/box\n4:cpu,cpuacct:/box\n");
        List<ControlGroup.Reading> before = group.read();
        stat("cpu,cpuacct/box", "nr_periods 10\nnr_throttled 5\nthrottled_time 9000000000\n");

        // The kernel sums the throttled time of all processors, so the share is limited to that of the periods in which the limit was
        // reached.
        assertThat(ControlGroup.between(before, group.read(), 1).share()).isCloseTo(0.5, within(1e-9));
    }

    @Test
    void aContainerWhosePathLeadsNowhereHasItsRoot() throws Exception {
        stat("", "nr_periods 1\nnr_throttled 1\nthrottled_usec 5\n");
        assertThat(group("0::/docker/abc\n").read()).containsExactly(new ControlGroup.Reading(1, 1, 5_000));
    }

    @Test
    void withoutControlGroupsNothingIsThrottled() {
        ControlGroup none = new ControlGroup(directory.resolve("missing"), directory);
        assertThat(none.read()).isEmpty();
        assertThat(ControlGroup.between(none.read(), none.read(), 1)).isEqualTo(ControlGroup.Throttle.NONE);
    }

    private ControlGroup group(String membership) throws IOException {
        return new ControlGroup(Files.writeString(directory.resolve("membership"), membership), directory);
    }

    private void stat(String group, String text) throws IOException {
        Path at = Files.createDirectories(directory.resolve(group));
        Files.writeString(at.resolve("cpu.stat"), text);
    }
}
