package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.recording.BrokerSample.Heap;
import io.brokermeter.engine.recording.BrokerSample.Usage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrometheusTextTest {

    private static List<String> samples(String text) {
        List<String> samples = new ArrayList<>();
        PrometheusText.read(text, _ -> true, (name, labels, value) -> samples.add(name + labels + value));
        return samples;
    }

    private static KnownMetrics.Scrape known(String text, String... asked) {
        Map<String, PrometheusText.Series> series = new LinkedHashMap<>();
        for (String name : asked) {
            series.put(name, Objects.requireNonNull(PrometheusText.series(name)));
        }
        return new KnownMetrics(series).read(0, text);
    }

    @Test
    void readsSamplesAndPassesOverTheRest() {
        assertThat(samples("""
            # HELP http_requests_total The total number of HTTP requests.
            # TYPE http_requests_total counter
            http_requests_total{method="post",code="200"} 1027 1395066363000
            http_requests_total{method="post",code="400"}    3 1395066363000

            # Escaping in label values:
            msdos_file_access_time_seconds{path="C:\\\\DIR\\\\FILE.TXT",error="Cannot find file:\\n\\"FILE.TXT\\""} 1.458255915e9
            metric_without_timestamp_and_labels 12.47
            something_weird{problem="division by zero"} +Inf -3982045
            with_blanks { a = "b" , } 1
            exemplar_total{} 5 # {trace_id="x"} 0.67
            {"name.with.points",a="b"} 2
            nothing_yet NaN
            a line that is none
            broken{a="b 1
            1digit 2
            no_value
            """)).containsExactly("http_requests_total{method=post, code=200}1027.0",
            "http_requests_total{method=post, code=400}3.0",
            "msdos_file_access_time_seconds{path=C:\\DIR\\FILE.TXT, error=Cannot find file:\n\"FILE.TXT\"}1.458255915E9",
            "metric_without_timestamp_and_labels{}12.47", "something_weird{problem=division by zero}Infinity",
            "with_blanks{a=b}1.0", "exemplar_total{}5.0", "name.with.points{a=b}2.0");
    }

    @Test
    void carriageReturnsAndAMissingLastLineEndDoNotMatter() {
        assertThat(samples("a 1\r\nb 2\r\n# EOF\r\nc 3")).containsExactly("a{}1.0", "b{}2.0", "c{}3.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1a", "a b", "a{", "a{b}", "a{b=c}", "a{b=\"c\"}d", "a 5", "-"})
    void whatIsNoSeriesIsNone(String text) {
        assertThat(PrometheusText.series(text)).isNull();
    }

    @Test
    void understandsTheJmxExporterAndTheJavaClient() {
        KnownMetrics.Scrape scrape = known("""
            process_cpu_seconds_total 12.5
            process_resident_memory_bytes 5.24288E8
            process_open_fds 123.0
            jvm_threads_current 77.0
            jvm_memory_bytes_used{area="heap",} 1000.0
            jvm_memory_bytes_used{area="nonheap",} 5000.0
            jvm_memory_bytes_committed{area="heap",} 2000.0
            jvm_memory_bytes_max{area="heap",} 3000.0
            jvm_gc_collection_seconds_count{gc="G1 Young Generation",} 5.0
            jvm_gc_collection_seconds_sum{gc="G1 Young Generation",} 0.25
            jvm_gc_collection_seconds_count{gc="G1 Old Generation",} 1.0
            jvm_gc_collection_seconds_sum{gc="G1 Old Generation",} 0.5
            """);
        assertThat(scrape.reading().get(ProcessFigure.CPU_SECONDS)).isEqualTo(12.5);
        assertThat(scrape.reading().usage()).isEqualTo(new Usage(Double.NaN, 524_288_000, Double.NaN, 77, 123, -1, -1, -1, -1));
        assertThat(scrape.reading().heap()).isEqualTo(new Heap(1000, 2000, 3000, 6, 750));
        assertThat(scrape.knows()).isTrue();
    }

    /** A cycle of a concurrent collector lasts seconds, during which the program runs. */
    @Test
    void cyclesBesideTheProgramAreNoPauses() {
        KnownMetrics.Scrape scrape = known("""
            jvm_gc_collection_seconds_count{gc="ZGC Major Cycles",} 5.0
            jvm_gc_collection_seconds_sum{gc="ZGC Major Cycles",} 7.5
            jvm_gc_collection_seconds_count{gc="ZGC Major Pauses",} 15.0
            jvm_gc_collection_seconds_sum{gc="ZGC Major Pauses",} 0.002
            """);
        assertThat(scrape.reading().heap()).isEqualTo(new Heap(-1, -1, -1, 15, 2));
    }

    @Test
    void understandsRabbitMq() {
        KnownMetrics.Scrape scrape = known("""
            erlang_vm_statistics_runtime_milliseconds 34567
            rabbitmq_process_resident_memory_bytes 151326720
            rabbitmq_process_open_fds 41
            rabbitmq_queue_messages_ready 10
            """, "rabbitmq_queue_messages_ready");
        assertThat(scrape.reading().get(ProcessFigure.CPU_SECONDS)).isCloseTo(34.567, within(1e-9));
        assertThat(scrape.reading().whole(ProcessFigure.RESIDENT_BYTES)).isEqualTo(151_326_720);
        assertThat(scrape.reading().whole(ProcessFigure.OPEN_FILES)).isEqualTo(41);
        assertThat(scrape.reading().heap().usedBytes()).isEqualTo(-1);
        assertThat(scrape.asked()).containsExactly(Map.entry("rabbitmq_queue_messages_ready", 10.0));
    }

    /** Metrics as the plugin of Artemis exports them, which uses Micrometer: its CPU figure is a share of the machine's CPU. */
    @Test
    void understandsMicrometer() {
        KnownMetrics metrics = new KnownMetrics(Map.of());
        String text = """
            process_cpu_usage{broker="b",} 0.25
            system_cpu_count{broker="b",} 4.0
            jvm_memory_used_bytes{area="heap",id="G1 Old Gen",} 100.0
            jvm_memory_used_bytes{area="heap",id="G1 Eden Space",} 20.0
            jvm_memory_used_bytes{area="nonheap",id="Metaspace",} 7.0
            jvm_memory_max_bytes{area="heap",id="G1 Old Gen",} 1000.0
            jvm_memory_max_bytes{area="heap",id="G1 Eden Space",} -1.0
            jvm_gc_pause_seconds_count{action="end of minor GC",} 3.0
            jvm_gc_pause_seconds_sum{action="end of minor GC",} 0.012
            jvm_threads_live_threads 55.0
            process_files_open_files 66.0
            """;
        metrics.read(0, text);
        KnownMetrics.Scrape scrape = metrics.read(2_000_000_000L, text);
        assertThat(scrape.reading().get(ProcessFigure.CPU_SECONDS)).isEqualTo(2.0);
        assertThat(scrape.reading().usage()).isEqualTo(new Usage(Double.NaN, -1, Double.NaN, 55, 66, -1, -1, -1, -1));
        assertThat(scrape.reading().heap()).isEqualTo(new Heap(120, -1, 1000, 3, 12));
    }

    @Test
    void addsTheSeriesThatWereAskedFor() {
        KnownMetrics.Scrape scrape = known("""
            artemis_message_count{queue="A",} 3.0
            artemis_message_count{queue="B",} 4.0
            """, "artemis_message_count{queue=\"B\"}", "artemis_message_count", "missing");
        assertThat(scrape.asked()).containsExactly(Map.entry("artemis_message_count{queue=\"B\"}", 4.0),
            Map.entry("artemis_message_count", 7.0));
        assertThat(scrape.knows()).isFalse();
    }
}
