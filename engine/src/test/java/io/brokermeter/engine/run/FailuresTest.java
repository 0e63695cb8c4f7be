package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;

import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;

/** Known answers for the messages of exceptions that drivers throw. */
class FailuresTest {

    private final Failures failures = new Failures(setting -> "--" + setting.path());

    /** Drivers know neither the options nor the scenario keys of a setting. */
    @Test
    void aDriversSentenceNamesSettingsAsTheRunDoes() {
        DriverException refused = new DriverException(new Refusal("100%% of %s is too much; leave out %s.",
            "queue://A", Setting.SELECTOR));
        assertThat(refused).hasMessage("100% of queue://A is too much; leave out key 'consumers.selector'.");
        assertThat(failures.text(new IOException("wrapped", refused)))
            .isEqualTo("100% of queue://A is too much; leave out --consumers.selector.");
        failures.add(refused);
        failures.add(refused);
        assertThat(failures.counts()).isEqualTo(Map.of("100% of queue://A is too much; leave out --consumers.selector.", 2L));
    }

    @Test
    void aSentenceOfADriverStandsAloneAndOthersNameTheirCauses() {
        assertThat(failures.text(new DriverException("It is closed.", new IOException("reset")))).isEqualTo("It is closed.");
        assertThat(failures.text(new IOException("cannot send", new IOException("reset")))).isEqualTo("cannot send: reset");
        assertThat(failures.text(new IllegalStateException(new IOException("reset")))).isEqualTo("reset");
        assertThat(failures.text(new IllegalStateException(new IOException((String) null)))).isEqualTo("IOException");
    }

    @Test
    void aLackOfMemoryNamesWhereItIsGiven() {
        assertThat(failures.text(new IOException("Closed", new OutOfMemoryError("Java heap space"))))
            .startsWith("Closed: out of memory (Java heap space): give this program more by JAVA_ARGS");
    }
}
