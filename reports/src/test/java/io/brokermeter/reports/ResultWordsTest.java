package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.json.ResultJson;
import org.junit.jupiter.api.Test;

/** Sentences about a result, none of which is repeated. */
class ResultWordsTest {

    private static final String CAUSE = "The asked rate was missed by more than half: the run reached 24.7 % of the asked rate";

    private static List<String> reasons(List<Map<String, Object>> findings) {
        return new ResultWords(StoredResult.of(Map.of("success", false, "result", "fail", "causes", List.of(CAUSE), "findings", findings,
            "health", Map.of("achievedRatio", 0.247, "reachedPerSecond", 740.5, "askedPerSecond", 3000.0, "reasons", List.of()))))
            .reasons();
    }

    @Test
    void aRateThatAFindingTellsIsNotToldAgain() {
        assertThat(reasons(List.of(Map.of("kind", "rate-missed", "failure", true, "sentence", CAUSE)))).containsExactly(CAUSE);
        assertThat(reasons(List.of())).containsExactly(CAUSE, "It reached 24.7 % of the asked rate: 740.50 of 3000.00 msg/sec");
    }

    /** Two agents: one reached 400 of its 500 messages a second, the other all of its 500. */
    @Test
    void theRateOfOneAgentIsNotThatOfTheRun() {
        Health health = Health.of(its -> {
            Made.health(its);
            its.schedule = new Schedule(10_000, 1_000, 1000, 900);
            its.verdict = new GeneratorVerdict.Doubtful(List.of(new Finding.DoubtOfAgent("b", new Finding.NotSentInTime(0.8, 400, 500,
                new Finding.Reason(Finding.Blame.SLOW_BROKER, 0.9, null)))));
        });
        StoredResult result = ResultJson.stored(Samples.success().with(its -> its.health = health), Samples.CLIENT);

        assertThat(new ResultWords(result).reasons()).containsExactly(
            "It reached 90.0 % of the asked rate: 900.00 of 1000.00 msg/sec",
            "Doubtful: b: only 80.0 % of the scheduled messages were sent in time (the rate was 400.00 of 500.00 msg/sec), because the broker "
                + "confirmed too slowly for key 'producers.maxPending': raise it, or lower key 'load.rate'");
        assertThat(result.doubtFindings()).singleElement().satisfies(doubt -> {
            assertThat(doubt.kind()).isEqualTo("not-sent-in-time");
            assertThat(doubt.agent()).isEqualTo("b");
        });
        assertThat(result.document().findings().getFirst().more()).containsEntry("share", 0.8).doesNotContainKey("agent");
    }

    private static ResultWords ofAgents(String lost) {
        Map<String, Object> other = new HashMap<>(Map.of("name", "b"));
        other.put("lost", lost.isEmpty() ? null : lost);
        return new ResultWords(
            StoredResult.of(Map.of("sends", true, "receives", true, "messages", Map.of("sent", 4500L, "received", 4500L),
                "rates", Map.of("measuredSentPerSecond", 225.0, "measuredReceivedPerSecond", 225.0), "agents",
                List.of(Map.of("name", "a"), other),
                "health", Map.of("askedPerSecond", 200.0, "reachedPerSecond", 199.5), "ledger", Map.of("expectedMessages", 4000L))));
    }

    /** Neither the asked rate nor the number of expected messages includes the share of a lost agent. */
    @Test
    void whatAllAgentsDidIsNotHeldAgainstWhatThoseWereToDoThatAreLeft() {
        assertThat(ofAgents("is gone").sent()).isEqualTo("4,500, 225/s");
        assertThat(ofAgents("is gone").received()).isEqualTo("4,500, 225/s");
        assertThat(ofAgents("").sent()).isEqualTo("4,500, 200/s of 200/s asked");
        assertThat(ofAgents("").received()).isEqualTo("4,500 of 4,000, 225/s");
    }

    private static String sent(Map<String, Object> health, List<Map<String, Object>> groups) {
        return new ResultWords(StoredResult.of(Map.of("sends", true, "messages", Map.of("sent", 160_000L),
            "rates", Map.of("measuredSentPerSecond", 5000.0, "sentPerSecond", 4000.0), "groups", groups, "health", health))).sent();
    }

    /** A load of 1,000 messages a second during a warm-up of 10 s, then 5,000 for 30 s. */
    @Test
    void besideAnAskedRateStandsWhatWasReachedOfItInTheSameTime() {
        Map<String, Object> asked = Map.of("askedPerSecond", 4000.0, "reachedPerSecond", 4000.0);
        Map<String, Object> steps = Map.of("kind", "producers", "name", "steps", "messagesPerSecond", 4000.0);
        assertThat(sent(asked, List.of(steps, Map.of("kind", "consumers", "name", "all", "messagesPerSecond", 4700.0))))
            .isEqualTo("160,000, 4,000/s of 4,000/s asked");
        assertThat(sent(asked, List.of(steps, Map.of("kind", "producers", "name", "unlimited", "messagesPerSecond", 3000.0))))
            .isEqualTo("160,000, 5,000/s");
        Map<String, Object> counts = Map.of("kind", "producers", "name", "all counts", "messagesPerSecond", 1.0);
        assertThat(sent(asked, List.of(steps, counts))).as("a file that does not tell whose they are").isEqualTo("160,000, 5,000/s");
        Map<String, Object> marked = new HashMap<>(counts);
        marked.put("publishesCounts", true);
        assertThat(sent(asked, List.of(steps, marked))).isEqualTo("160,000, 4,000/s of 4,000/s asked");
        assertThat(sent(Map.of("askedPerSecond", 4000.0), List.of(steps))).isEqualTo("160,000, 5,000/s");
        assertThat(sent(Map.of(), List.of(steps))).isEqualTo("160,000, 5,000/s");
    }

    @Test
    void aResultTellsWhichProducersSendCountsAlone() {
        List<GroupResult> groups = Stream.of(false, true).map(counts -> GroupResult.of(its -> {
            its.producing = true;
            its.publishesCounts = counts;
        })).toList();
        assertThat(ResultJson.stored(Samples.success().with(its -> its.groups = groups), Samples.CLIENT).document().groups())
            .extracting(group -> DocumentJson.tree(group).get("publishesCounts")).containsExactly(null, true);
    }

    /** A run that was cut off or is still running has unacknowledged sends. */
    @Test
    void sendsOfWhichNobodyKnowsAreNotCalledConfirmed() {
        Map<String, Object> messages = new HashMap<>(Map.of("sent", 500L, "completed", 400L, "failed", 0L));
        messages.put("unconfirmed", null);
        assertThat(new ResultWords(StoredResult.of(Map.of("success", false, "result", "cut off", "sends", true, "receives", false,
            "messages", messages))).ledger()).startsWith("not known: ");
    }
}
