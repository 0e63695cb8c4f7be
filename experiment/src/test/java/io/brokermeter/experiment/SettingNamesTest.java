package io.brokermeter.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.brokermeter.experiment.table.Exclusion;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names of settings in sentences. */
class SettingNamesTest {

    @ParameterizedTest
    @EnumSource(Setting.class)
    void everySettingHasAnOptionAndANameInFiles(Setting setting) {
        assertThat(Option.of(setting)).startsWith("--");
        assertThat(Option.inFile(setting)).isEqualTo(setting.path().isEmpty() ? Option.of(setting) : "key '" + setting.path() + "'");
    }

    @Test
    void theRateIsCalledByTheOptionThatSetsItAlone() {
        assertThat(Option.of(Setting.RATE)).isEqualTo("--rate");
        assertThat(Option.of(Setting.DRAIN_TIMEOUT)).isEqualTo("--drain-timeout");
        assertThat(Option.of(Setting.MAX_PENDING)).isEqualTo("--max-pending");
    }

    @Test
    void keysThatExcludeEachOtherDoSoByAllOfTheirOptions() {
        assertThat(Exclusion.ofOptions()).extracting(pair -> pair.first() + " " + pair.second())
            .contains("--rate --rate-per-producer", "--load --rate-per-producer", "--rate --load", "--broker --url", "--queue DESTINATION");
        List<String> names = Option.all().stream().flatMap(option -> option.names().stream()).toList();
        assertThat(Exclusion.ofOptions()).allSatisfy(pair -> {
            assertThat(names).contains(pair.first());
            assertThat(pair.second()).matches(name -> names.contains(name) || name.equals(Exclusion.DESTINATION));
        });
    }

    @Test
    void aFileLearnsWhichKeyStandsBesideAnother() {
        assertThat(Exclusion.inFile("broker.name", "url")).startsWith("'broker' stands there too: ").endsWith("; leave one out.");
        assertThat(Exclusion.inFile("load.rate", "load.ratePerProducer"))
            .isEqualTo("'rate' stands there too: both set the rate; leave one out.");
    }
}
