package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.RunObserver;
import org.junit.jupiter.api.Test;

class ReportsTest {

    @Test
    void failureOfOneDoesNotKeepTheOthersFromHearingAndClosing() {
        List<String> heard = new ArrayList<>();
        Reports reports = new Reports(List.of(failing("first", heard), failing("second", heard)));
        assertThatThrownBy(() -> reports.interval(Samples.interval(0))).hasMessage("first")
            .satisfies(e -> assertThat(e.getSuppressed()).singleElement().extracting(Throwable::getMessage).isEqualTo("second"));
        assertThatThrownBy(reports::close).hasMessage("first");
        assertThat(heard).containsExactly("interval first", "interval second", "close first", "close second");
    }

    private static RunObserver failing(String name, List<String> heard) {
        return new RunObserver() {
            @Override
            public void interval(Interval interval) throws IOException {
                heard.add("interval " + name);
                throw new IOException(name);
            }

            @Override
            public void close() throws IOException {
                heard.add("close " + name);
                throw new IOException(name);
            }
        };
    }
}
