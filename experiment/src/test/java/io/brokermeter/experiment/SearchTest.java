package io.brokermeter.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.brokermeter.engine.scenario.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that ask for a search. */
class SearchTest {

    private static final String FILE = """
        url: loopback://x
        producers: {count: 3}
        consumers: {}
        destinations: [{queue: Q}]
        load: {rate: 500/s}
        duration: 30s
        """;

    private static Experiment read(String more, String... sets) {
        return ScenarioFile.read(FILE + more, "file.yaml", Path.of(""), new Changes(List.of(sets), false));
    }

    private static Search search(String more) {
        return Objects.requireNonNull(read(more).search());
    }

    @Test
    void theDefaultsAreThoseOfARate() {
        Search search = search("search: true");
        assertThat(search.searched()).isEqualTo(Search.Searched.RATE);
        assertThat(search.key()).isEqualTo("load.rate");
        assertThat(List.of(search.from(), search.start(), search.to(), search.width())).containsExactly(10.0, 1_000.0, 10e6, 0.1);
        assertThat(search.trials()).isEqualTo(60);
        assertThat(search.confirmation()).isEqualTo(Duration.ofMinutes(5));
        assertThat(search.time()).isNull();
        assertThat(read("search: false").search()).isNull();
        assertThat(read("").search()).isNull();
    }

    @Test
    void aNumberIsSearchedAtARateAndARateAtSeveralNumbers() {
        assertThat(search("search: destinations").key()).isEqualTo("destinations.0.count");
        assertThat(search("search: {over: message-size, from: 1KiB, to: 1MiB}").to()).isEqualTo(1 << 20);
        Search along = search("search: {over: 'max-pending=1,10,100', time: 1h}");
        assertThat(along.searched()).isEqualTo(Search.Searched.RATE);
        assertThat(along.alongKey()).isEqualTo("producers.maxPending");
        assertThat(along.values()).containsExactly(1L, 10L, 100L);
        assertThat(along.time()).isEqualTo(Duration.ofHours(1));
    }

    @Test
    void trialsOfASearchAreScaledAsOthers() {
        Experiment scaled = read("search: true", "scale=0.5");
        assertThat(scaled.trials().getFirst().workload().scenario().limits().duration()).isEqualTo(Duration.ofSeconds(15));
        assertThat(ScenarioFile.read(scaled.yaml(), "again", Path.of(""), Changes.NONE).search()).isEqualTo(scaled.search());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "search: colour                                        | file.yaml:7: key 'search.over': 'colour' cannot be searched; there are rate",
        "search: {over: 'producers=1'}                         | must have from 2 to 20 values",
        "search: {over: 'rate=1,2'}                            | the rate is what is searched",
        "search: {from: 10k, to: 15k}                          | 'to' must be at least twice 'from'",
        "search: {from: 1k, start: 10}                         | key 'search.start': it must lie between",
        "search: {trials: 7}                                   | it must be at least 8",
        "search: {width: 0%}                                   | key 'search.width': it must be above 0",
        "search: {goal: x}                                     | there is no such key in 'search'",
        "{search: true, repeat: 3}                             | a search chooses and repeats its trials itself",
        "{search: true, sweep: {load.rate: [1, 2]}}            | a search chooses and repeats its trials itself",
        "{search: true, thresholds: [sent.rate > 20M/s]}        | contradicts the range",
        "{search: producers, load: {rate: unlimited}}          | 'producers' needs a rate",
        "{search: producers, producers: [{count: 1}, {name: b}]} | 'producers' is a list of 2",
    })
    void whatCannotBeSearchedIsRefused(String more, String sentence) {
        List<String> sets = more.startsWith("{") ? List.of(more.substring(1, more.length() - 1).split(", (?=[a-z]+: )")) : List.of(more);
        assertThatThrownBy(() -> read(sets.size() == 1 ? sets.getFirst() : "", sets.size() == 1 ? new String[0]
            : sets.stream().map(set -> set.replaceFirst(": ", "=")).toArray(String[]::new))).isInstanceOf(UsageException.class)
            .hasMessageContaining(sentence);
    }
}
