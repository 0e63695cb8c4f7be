package io.brokermeter.trials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.analysis.window.FarSide;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.sweep.SweepPlan;
import io.brokermeter.trials.sweep.WindowPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of sweeps have no passwords, and a user who resumes a sweep gets an error that names the missing ones. */
class StoredPasswordsTest {

    @TempDir
    Path directory;

    /** Returns an experiment as it is read back from the files of a sweep. */
    private Experiment again(String text) {
        String rest = "name: t\ndestinations: queue://Q\nproducers: 1\nload: {messages: 1}\n";
        return ScenarioFile.read(ScenarioFile.read(text + rest, "test", directory, Changes.NONE).yaml(), "kept", directory, Changes.NONE);
    }

    @Test
    void onePasswordIsNotThatOfAllTrials() {
        Secret password = Secret.of("one");
        assertThat(SweepPlan
            .of(List.of(again("protocol: LOOPBACK\nsweep: {url: ['loopback://me:one@a', 'loopback://me:one@b']}\n")), Drivers.load(),
                password)
            .steps()).hasSize(2);
        List<Experiment> several = List.of(again("protocol: LOOPBACK\nsweep: {url: ['loopback://me:one@a', 'loopback://me:two@a']}\n"));
        assertThatThrownBy(() -> SweepPlan.of(several, Drivers.load(), password)).isInstanceOf(UsageException.class).hasMessageEndingWith(
            " with url=loopback://me:***2@a: The files of a sweep keep no passwords, and this one has several for one key: start it again.");
    }

    @Test
    void aBrokersPasswordIsNamedThatIsMissing() {
        List<Experiment> experiments = List.of(again("broker: {name: artemis, properties: {x.keyStorePassword: geheim}}\n"));
        assertThatThrownBy(() -> SweepPlan.of(experiments, Drivers.load(), null)).isInstanceOf(UsageException.class).hasMessageEndingWith(
            ": The files of a run keep no passwords, and the broker's setting x.keyStorePassword is one: start that run again.");
    }

    @Test
    void aSearchForAWindowKeepsNoPassword() {
        WindowPlan.Request request = WindowPlan.Request.of(its -> {
            its.sides = List.of(FarSide.PRODUCER);
            its.roundTrips = List.of(Duration.ofMillis(1), Duration.ofMillis(20));
            its.sizes = List.of(100);
            its.access = Map.of("url", "loopback://me:geheim@b?prefetch=10", "protocol", "LOOPBACK");
            its.protocol = "LOOPBACK";
            its.destination = "queue://Q";
            its.sets = List.of("properties.trustStorePassword=geheim", "consumers.url=tcp://u:geheim@h:1?x=y", "consumers.batch=5");
        });

        SweepDocument.AskedWindow kept = request.kept(Duration.ofMinutes(1), Map.of());

        assertThat(kept.toString()).doesNotContain("geheim");
        WindowPlan.Request read = WindowPlan.Request.of(kept);
        assertThat(read.sets()).containsExactly("properties.trustStorePassword=***", "consumers.url=tcp://h:1?x=y", "consumers.batch=5");
        assertThat(read.access()).containsEntry("url", "loopback://b?prefetch=10");
    }
}
