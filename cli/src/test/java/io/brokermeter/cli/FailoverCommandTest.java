package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.engine.scenario.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailoverCommandTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run ./x.sh|run ./x.sh at 15s", "run ./x.sh for 5s|run ./x.sh at 15s for 5s", "run ./x.sh for 2m|run ./x.sh at 15s for 120s",
        "run ./x.sh a b for 5|run ./x.sh a b at 15s for 5s", "run ./x.sh for 5 times|run ./x.sh for 5 times at 15s",
        "run ./wait for 5s more|run ./wait for 5s more at 15s", "run ./x.sh at 20s for 5s|run ./x.sh at 20s for 5s",
        "run for 5s x|run for 5s x at 15s"})
    void aCommandHasItsMomentBeforeTheTimeThatItMayTake(String text, String whole) {
        assertThat(Fault.parse(FailoverCommand.wholeCommand(text))).hasToString(whole);
    }
}
