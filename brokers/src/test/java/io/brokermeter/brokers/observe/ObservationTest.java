package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Invalid options, and secrets that must not be shown. */
class ObservationTest {

    private static void refuses(@Nullable String pids, @Nullable String jmx, @Nullable String metrics, List<String> names,
            String sentence) {
        assertThatThrownBy(() -> Observation.of(pids, jmx, metrics, names, Setting::key)).isInstanceOf(UsageException.class)
            .hasMessageContaining(sentence).hasMessageMatching("[^.].*\\.").hasMessageNotContaining("sesame");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "x; broker pid 'x' must be process ids",
        "''; must be process ids",
        "1,; must be process ids",
        "-5; must be process ids",
        "0; must be process ids",
        "99999999999999999999; must be process ids",
        "2147483647; broker pid 2147483647: there is no such process",
    })
    void aPidMustBeThatOfAProcess(String pids, String sentence) {
        refuses(pids, null, null, List.of(), sentence);
    }

    @Test
    void thisProgramIsNoBroker() {
        refuses(Long.toString(ProcessHandle.current().pid()), null, null, List.of(), "is this program");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "somewhere; must be host:port",
        "host:0; must be host:port",
        "host:99999; must be host:port",
        "user:sesame@nowhere; must be host:port",
        "http://host:1; must be host:port",
        "service:jmx:; is not the URL of a JMX service",
        "service:jmx:???; is not the URL of a JMX service",
        "''; must be host:port",
    })
    void aJmxServiceMustBeOne(String jmx, String sentence) {
        refuses(null, jmx, null, List.of(), sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "somewhere", "ftp://host/metrics", "http://", "http:///metrics", "'http://ho st/'", "''", "http://host:0/x",
        "http://user:sesame@/metrics", "http://user:sesame@ho st/metrics?token=sesame"})
    void anEndpointMustBeOne(String url) {
        refuses(null, null, url, List.of(), "must be the URL of a Prometheus endpoint");
    }

    @Test
    void aMetricNeedsAnEndpointAndAName() {
        refuses(null, null, null, List.of("a"), "broker metric needs broker metrics");
        refuses(null, null, "http://host/metrics", List.of("a", "b c"), "broker metric 'b c' is not the name of a metric");
    }

    @Test
    void aLoginIsTakenAndNotShown() {
        JmxAddress jmx = JmxAddress.parse("user:ses:ame@host:1099");
        assertThat(jmx.user()).isEqualTo("user");
        assertThat(jmx.password()).extracting(Secret::reveal).isEqualTo("ses:ame");
        assertThat(jmx).hasToString("service:jmx:rmi:///jndi/rmi://host:1099/jmxrmi");
        assertThat(JmxAddress.parse("service:jmx:rmi:///jndi/rmi://[::1]:1/jmxrmi").user()).isNull();
        MetricsAddress endpoint = MetricsAddress.parse("https://user:sesame@host:9/a?token=secret");
        assertThat(endpoint).hasToString("https://host:9/a");
        assertThat(endpoint.uri()).hasToString("https://host:9/a?token=secret");
        assertThat(MetricsAddress.parse("http://host:15692")).hasToString("http://host:15692/metrics");
    }
}
