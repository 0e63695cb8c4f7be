package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.recording.fault.FaultTimes;
import io.brokermeter.engine.recording.fault.Scorecard;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailoverCommandTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run ./x.sh|run ./x.sh at 15s", "run ./x.sh for 5s|run ./x.sh at 15s for 5s", "run ./x.sh for 2m|run ./x.sh at 15s for 120s",
        "run ./x.sh a b for 5|run ./x.sh a b at 15s for 5s", "run ./x.sh for 5 times|run ./x.sh for 5 times at 15s",
        "run ./wait for 5s more|run ./wait for 5s more at 15s", "run ./x.sh at 20s for 5s|run ./x.sh at 20s for 5s",
        "run for 5s x|run for 5s x at 15s", "run ./x by 5|run ./x by 5 at 15s", "run ./x  by  5 for 2s|run ./x  by  5 at 15s for 2s"})
    void aCommandHasItsMomentBeforeTheTimeThatItMayTake(String text, String whole) {
        assertThat(Fault.parse(FailoverCommand.whole(text, "artemis", "single"))).hasToString(whole);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "kill|kill broker at 15s for 10s", " Kill at 5s |kill broker at 5s for 10s", "stop for 3s|stop broker at 15s for 3s",
        "kill node 2|kill node 2 at 15s for 10s", "pause broker at 2s for 3s|pause broker at 2s for 3s", "restart|restart broker at 15s",
        "fill for 2 s|fill broker at 15s for 2s", "reset consumers|reset consumers at 15s", "cut|cut connection at 15s for 10s",
        "Partition|blackhole connection at 15s for 10s", "partition producers at 3s|blackhole producers at 3s for 10s",
        "delay by 50ms|delay connection by 50ms at 15s for 10s", "delay consumers by 50 for 4s|delay consumers by 50ms at 15s for 4s"})
    void whomWhenAndHowLongMayBeLeftOut(String text, String whole) {
        assertThat(Fault.parse(FailoverCommand.whole(text, "artemis", "single"))).hasToString(whole);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "kill|kill primary at 15s", "stop at 4s|stop primary at 4s", "pause|pause primary at 15s for 10s",
        "kill backup for 3s|kill backup at 15s for 3s", "cut|cut connection at 15s for 10s"})
    void theRestOfATopologyTakesOver(String text, String whole) {
        assertThat(Fault.parse(FailoverCommand.whole(text, "artemis", "primary-backup"))).hasToString(whole);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "kill|kill broker at 15s", "stop at 20s|stop broker at 20s", "kill pid 4711|kill pid 4711 at 15s",
        "pause|pause broker at 15s for 10s",
        "kill for 5s|kill broker at 15s for 5s", "cut|cut connection at 15s for 10s", "run ./start.sh at 25s|run ./start.sh at 25s"})
    void aBrokerThatWasNotStartedForTheRunIsNotStartedAgain(String text, String whole) {
        assertThat(Fault.parse(FailoverCommand.whole(text, null, "single"))).hasToString(whole);
    }

    @ParameterizedTest
    @CsvSource({"kill pid 4711,kill pid 4711 at 15s", "stop PORT=61616 at 20s,stop port 61616 at 20s"})
    void aProcessWithANumberWasNotStartedForTheRun(String text, String whole) {
        assertThat(Fault.parse(FailoverCommand.whole(text, "artemis", "single"))).hasToString(whole);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "kill-it|Fault 'kill-it' is unknown", "run|Fault 'run at 15s' must say",
        "kill broker at 20s fro 5s|Fault 'kill broker at 20s fro 5s' must say",
        "run ./x at 20s fro 5s|Fault 'run ./x at 20s fro 5s' must say", "delay|Fault 'delay' needs what it delays by",
        "kill node 2 for ever|Fault 'kill node 2 for ever' must say", "delay by soon|not by 'soon'",
        "kill for 5 times|Duration '5 times' is not a time"})
    void whatIsWrongIsRefused(String text, String sentence) {
        assertThatThrownBy(() -> Fault.parse(FailoverCommand.whole(text, "artemis", "single"))).isInstanceOf(UsageException.class)
            .hasMessageContaining(sentence);
    }

    @ParameterizedTest
    @CsvSource({"--rate,1000", "--max-pending,1000", "--warmup,5s", "--duration,60s", "--drain-timeout,30s", "--reconnect,500ms",
        "--fault,kill"})
    void theHelpHasTheDefaultsOfThisCommand(String option, String value) {
        assertThat(help(option)).endsWith(" Default: " + value + ".");
        assertThat(OptionsTest.scenario(Map.of(), "failover", "--id", "x", "--seed", "1", option, value))
            .isEqualTo(OptionsTest.scenario(Map.of(), "failover", "--id", "x", "--seed", "1"));
    }

    @ParameterizedTest
    @CsvSource({"--broker,artemis", "--format,screen", "--url,a broker started for this run", "--interval,1s"})
    void theHelpHasTheOtherDefaults(String option, String text) {
        assertThat(help(option)).endsWith(" Default: " + text + ".");
    }

    private static String help(String option) {
        return String.join(" ", Main.line("failover").getCommandSpec().findOption(option).description());
    }

    /** Letters of runs: passed, threshold missed, failed, not recovered, both not recovered and threshold missed, unscored. */
    @ParameterizedTest
    @CsvSource({"P,0", "T,99", "F,1", "N,1", "B,1", "U,1", "PUP,1", "PTP,99", "FT,1", "TF,1", "TN,1", "PBT,1"})
    void aRunThatFailedOrDidNotRecoverCountsBeforeAMissedThreshold(String runs, int status) {
        assertThat(FailoverCommand.status(runs.chars().mapToObj(run -> run((char) run)).toList())).isEqualTo(status);
    }

    @Test
    void aFaultThatWasNotMadeIsTold() {
        assertThat(FailoverCommand.unknown(run('P'), List.of())).isEmpty();
        assertThat(FailoverCommand.unknown(run('U'), List.of()))
            .contains("The run has no scorecard, so it is not known how the clients get over the fault.");
        assertThat(FailoverCommand.unknown(run('U'), List.of(1)))
            .contains("The load was over before fault 1 was due, so it is not known how the clients get over it.");
        assertThat(FailoverCommand.unknown(run('P'), List.of(2, 3)))
            .contains("The load was over before faults 2, 3 were due, so it is not known how the clients get over them.");
    }

    private static RunResult run(char kind) {
        Threshold limit = Threshold.parse("response.p99 < 500ms");
        return RunResult.of(its -> {
            its.failures = kind == 'F' ? List.of(new Finding.StoppedConnecting()) : List.of();
            its.thresholds = List.of(new ThresholdResult(limit, 1, 1, kind != 'T' && kind != 'B', true, false));
            its.scorecard = kind == 'U' ? null : card(kind != 'N' && kind != 'B');
        });
    }

    private static Scorecard card(boolean recovered) {
        return Scorecard.of(card -> card.first = FaultTimes.of(times -> {
            times.rateBefore = 1000;
            times.withoutSend = 2;
            times.to95 = recovered ? 3 : Double.POSITIVE_INFINITY;
        }));
    }
}
