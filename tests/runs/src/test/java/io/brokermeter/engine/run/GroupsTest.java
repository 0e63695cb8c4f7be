package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of runs with several groups, phases, requests, counts and late consumers. */
class GroupsTest {

    private static Load rate(long perSecond) {
        return new Load.Constant(Rate.perSecond(perSecond));
    }

    private static LedgerReport ledger(RunResult result) {
        return Objects.requireNonNull(result.ledger());
    }

    @Test
    void eachGroupOfProducersKeepsItsOwnLoadAndItsOwnFigures() throws Exception {
        RunResult r = new Groups().producers("orders", p -> {
            p.to = new String[] {"queue://ORDERS"};
            p.load = rate(500);
            p.messages = 500;
        }).producers("audit", p -> {
            p.to = new String[] {"queue://AUDIT"};
            p.load = rate(100);
            p.messages = 100;
        }).consumers("shop", c -> c.from = new String[] {"queue://ORDERS"})
            .consumers("archive", c -> c.from = new String[] {"queue://AUDIT"}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(Groups.group(r, "orders").sent()).isEqualTo(500);
        assertThat(Groups.group(r, "audit").sent()).isEqualTo(100);
        assertThat(Groups.group(r, "shop").received()).isEqualTo(500);
        assertThat(Groups.group(r, "archive").received()).isEqualTo(100);
        assertThat(Groups.group(r, "archive").measured().get(Metric.TRANSFER).count()).isEqualTo(100);
        assertThat(r.sent()).isEqualTo(600);
        assertThat(r.measured().get(Metric.TRANSFER).count()).isEqualTo(600);
        assertThat(ledger(r).expected()).isEqualTo(600);
        assertThat(ledger(r).lost()).isZero();
    }

    @Test
    void slowAndFastSubscribersEachGetACopy() throws Exception {
        RunResult r = new Groups().producers("p", p -> {
            p.to = new String[] {"topic://T"};
            p.messages = 200;
        }).consumers("fast", c -> {
            c.from = new String[] {"topic://T"};
            c.count = 3;
        }).consumers("slow", c -> {
            c.from = new String[] {"topic://T"};
            c.processing = new TimeLaw.Constant(Duration.ofMillis(1));
        }).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(Groups.group(r, "fast").received()).isEqualTo(600);
        assertThat(Groups.group(r, "slow").received()).isEqualTo(200);
        assertThat(ledger(r).expected()).isEqualTo(800);
    }

    @Test
    void twoGroupsOnOneQueueShareItsMessages() throws Exception {
        RunResult r = new Groups().producers("p", p -> p.messages = 1000).consumers("a", c -> {}).consumers("b", c -> {}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(Groups.group(r, "a").received() + Groups.group(r, "b").received()).isEqualTo(1000);
        assertThat(ledger(r).expected()).isEqualTo(1000);
    }

    /** Guards against samples that count for both groups. */
    @Test
    void groupsThatReceiveWhatAnotherRunSendsHaveTheirOwnTimes() throws Exception {
        Groups run = new Groups();
        String broker = run.url().substring("loopback://".length());
        assertThat(LoopbackRun.of().at(broker).sendOnly().count(500).execute().failures()).isEmpty();
        run.duration = Duration.ofSeconds(4);
        RunResult r = run.consumers("a", c -> {}).consumers("b", c -> {}).execute();

        assertThat(r.received()).isEqualTo(500);
        assertThat(r.groups()).hasSize(2).allSatisfy(group -> {
            Distribution times = Objects.requireNonNull(group.measured().get(Metric.TRANSFER));
            // Times may be negative, since the clock of the other run was ahead.
            assertThat(times.count() + times.negative()).isEqualTo(group.received());
        });
    }

    @Test
    void aPhaseHasItsOwnLoadAndCountsItsOwnMessages() throws Exception {
        Groups run = new Groups();
        RunResult r = run.producers("p", p -> {}).consumers("c", c -> {})
            .phase(new Phase("low", Duration.ofMillis(400), Map.of("", rate(500))))
            .phase(new Phase("pause", Duration.ofMillis(200), Map.of("", new Load.Silence())))
            .phase(new Phase("high", Duration.ofMillis(500), Map.of("p", rate(2000)))).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.phases()).extracting(PhaseResult::name).containsExactly("low", "pause", "high");
        // Times belong to the phase in which a message was due, counts to the one in which it was sent or received.
        assertThat(r.phases()).extracting(phase -> phase.measured().get(Metric.SEND).count()).containsExactly(200L, 0L, 1000L);
        assertThat(r.phases()).extracting(phase -> phase.measured().get(Metric.TRANSFER).count()).containsExactly(200L, 0L, 1000L);
        assertThat(r.phases().stream().mapToLong(PhaseResult::sent).sum()).isEqualTo(1200);
        assertThat(r.phases().stream().mapToLong(PhaseResult::received).sum()).isEqualTo(1200);
        assertThat(r.phases().getFirst().sent()).isLessThanOrEqualTo(200);
        assertThat(r.phases().get(2).measured().get(Metric.RESPONSE).count()).isEqualTo(1000);
        assertThat(r.measured().get(Metric.RESPONSE).count()).isEqualTo(1200);
        assertThat(r.health().achievedRatio()).isEqualTo(1);
        assertThat(run.intervalPhases).contains("low", "high");
    }

    @Test
    void aWarmUpComesBeforeTheFirstPhaseAndStaysOutOfIt() throws Exception {
        Groups run = new Groups();
        run.warmup = Duration.ofMillis(300);
        RunResult r = run.producers("p", p -> {}).consumers("c", c -> {})
            .phase(new Phase("one", Duration.ofMillis(300), Map.of("", rate(1000))))
            .phase(new Phase("two", Duration.ofMillis(300), Map.of("", new Load.AllOut()))).execute();

        assertThat(r.failures()).isEmpty();
        long allOut = r.phases().get(1).measured().get(Metric.SEND).count();
        assertThat(r.phases().getFirst().measured().get(Metric.SEND).count()).isEqualTo(300);
        assertThat(allOut).isPositive();
        assertThat(r.sent()).isEqualTo(600 + allOut);
        assertThat(r.measured().get(Metric.SEND).count()).isEqualTo(300 + allOut);
        assertThat(r.part().sent()).isGreaterThanOrEqualTo(300 + allOut)
            .isEqualTo(r.phases().stream().mapToLong(PhaseResult::sent).sum());
    }

    @Test
    void consumersThatStartAfterTheProducersDrainTheBacklog() throws Exception {
        Groups run = new Groups();
        run.drain = Duration.ofSeconds(1);
        RunResult r = run.producers("p", p -> p.messages = 3000).consumers("c", c -> {
            c.start = new Start(Duration.ofMillis(100), true, Duration.ZERO);
            c.processing = new TimeLaw.Constant(Duration.ofNanos(500_000));
        }).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(3000);
        // The drain takes longer than its limit, which counts from the last delivery when there is a backlog.
        assertThat(r.receivingSeconds()).isGreaterThan(1);
    }

    /** A stall is caught up for a tenth of a second at most; before the first delivery there was none to catch up. */
    @Test
    void consumersWithARateKeepToItFromTheFirstMessageOn() throws Exception {
        List<Interval> intervals = new ArrayList<>();
        Groups run = new Groups();
        run.onInterval = intervals::add;
        RunResult r = run.producers("p", p -> p.messages = 3_000).consumers("c", c -> {
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
            c.rate = Rate.parse("1000");
        }).execute();

        assertThat(r.received()).isEqualTo(3_000);
        assertThat(intervals).isNotEmpty()
            .allSatisfy(i -> assertThat(i.received()).isLessThanOrEqualTo((i.endEpochNanos() - i.startEpochNanos()) / 1_000_000 + 1));
    }

    @Test
    void consumersWithARateSaveNothingUpInASilence() throws Exception {
        List<Interval> intervals = new ArrayList<>();
        Groups run = new Groups();
        run.onInterval = intervals::add;
        run.drain = Duration.ofSeconds(10);
        RunResult r = run.producers("p", p -> {
            p.load = Load.parse("bursts:1k@0.02s/4.98s", 1);
            p.messages = 40;
        }).consumers("c", c -> c.rate = Rate.parse("10")).execute();

        assertThat(r.received()).isEqualTo(40);
        assertThat(intervals).isNotEmpty()
            .allSatisfy(i -> assertThat(i.received()).isLessThanOrEqualTo((i.endEpochNanos() - i.startEpochNanos()) / 100_000_000 + 1));
    }

    @Test
    void aDurableSubscriberThatComesLateGetsWhatWasSentBefore() throws Exception {
        Groups run = new Groups();
        RunResult r = run.producers("p", p -> {
            p.to = new String[] {"topic://T"};
            p.messages = 1000;
        }).consumers("c", c -> {
            c.from = new String[] {"topic://T"};
            c.durable = true;
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
        }).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(1000);
    }

    /** The load is over in less than a second; the drain timeout counts from the first deliveries. */
    @Test
    void consumersWhoseDelayIsLongerThanTheLoadTakeTheBacklogAfterIt() throws Exception {
        Groups run = new Groups();
        run.drain = Duration.ofSeconds(1);
        RunResult r = run.producers("p", p -> p.messages = 1000)
            .consumers("c", c -> c.start = Start.after(Duration.ofSeconds(5))).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(1000);
        assertThat(r.elapsed()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
        assertThat(run.events).extracting(Event::what).contains(new Finding.ConsumersStart());
    }

    /** Most topics keep no messages for later consumers, but those of Kafka and streams of RabbitMQ do. */
    @Test
    void consumersOfATopicWhoseDelayIsLongerThanTheLoadAreOpened() throws Exception {
        Groups run = new Groups();
        RunResult r = run.producers("p", p -> {
            p.messages = 1000;
            p.to = new String[] {"topic://T"};
        }).consumers("c", c -> {
            c.start = Start.after(Duration.ofSeconds(5));
            c.from = new String[] {"topic://T"};
        }).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isZero();
        assertThat(r.elapsed()).isGreaterThanOrEqualTo(Duration.ofSeconds(5));
        assertThat(run.events).extracting(Event::what).contains(new Finding.ConsumersStart());
    }

    /** Guards against a trial with a backlog that is ended five minutes after the length of its load. */
    @ParameterizedTest
    @CsvSource({"5000, after-producers, true", "5000, 2s, true", "5000, 0s, false", "0, 2s, false"})
    void consumersWithADelayMayFindABacklogWhereTheLoadHasANumberOfMessages(long messages, String start, boolean backlog) {
        Groups run = new Groups();
        run.duration = Duration.ofSeconds(10);
        assertThat(run.producers("p", p -> p.messages = messages).consumers("c", c -> c.start = Start.parse(start)).plan().scenario()
            .mayHaveBacklog()).isEqualTo(backlog);
    }

    @Test
    void aGroupWhoseDelayIsNotShorterThanTheRunIsRefused() {
        Groups run = new Groups();
        run.duration = Duration.ofSeconds(10);
        run.producers("p", p -> {}).consumers("late", c -> c.start = Start.after(Duration.ofSeconds(10)));

        assertThatThrownBy(run::plan).isInstanceOf(UsageException.class)
            .hasMessage(
                "Group 'late' would start 10s after the start of the run, whose load takes 10s; shorten key 'consumers.start', or give "
                    + "after-producers for it, to consume a backlog.");
        Groups backlog = new Groups();
        backlog.duration = Duration.ofSeconds(10);
        backlog.producers("p", p -> {}).consumers("late", c -> c.start = Start.after(Duration.ofSeconds(15)));
        assertThatThrownBy(backlog::plan).isInstanceOf(UsageException.class).hasMessageContaining("after-producers:5s");
        Groups tardy = new Groups();
        tardy.duration = Duration.ofSeconds(10);
        tardy.producers("tardy", p -> p.start = Start.after(Duration.ofSeconds(10)));
        assertThatThrownBy(tardy::plan).isInstanceOf(UsageException.class)
            .hasMessageEndingWith("takes 10s; shorten key 'producers.start'.");
    }

    @Test
    void producersBeginAfterTheirDelay() throws Exception {
        Groups run = new Groups();
        run.duration = Duration.ofSeconds(1);
        RunResult r = run.producers("late", p -> {
            p.load = rate(100);
            p.start = Start.after(Duration.ofMillis(600));
        }).consumers("c", c -> {}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(40);
    }

    @Test
    void messagesOfABatchAreDueTogether() throws Exception {
        Groups run = new Groups();
        run.duration = Duration.ofSeconds(1);
        RunResult r = run.producers("p", p -> {
            p.load = rate(100);
            p.batch = 50;
        }).consumers("c", c -> {}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(100);
        // Fifty messages are due at each of two moments; evenly spaced, the last ones would be sent almost half a second later.
        assertThat(r.receivingSeconds()).isLessThan(0.9);
    }

    /** The load has twice 95 messages, which batches of 50 of each of the two producers make 200. */
    @ParameterizedTest
    @CsvSource({"1, 190", "50, 200"})
    void aLoadThatEndsBeforeItsNumberOfMessagesIsWarnedOf(int batch, long sent) throws Exception {
        Groups run = new Groups().producers("p", p -> {
            p.count = 2;
            p.batch = batch;
            p.load = Load.parse("steps:100@1s,100..80@1s,0@1s", 1);
            p.messages = 1_000;
        }).consumers("c", c -> {});

        assertThat(run.plan().scenario().warnings(Setting::key))
            .containsExactly("Group 'p' sends " + sent + " of the 1,000 messages of key 'load.messages': its load has no more.");
        assertThat(run.execute().sent()).isEqualTo(sent);
    }

    @Test
    void aProducerThatThinksPausesAfterEachMessage() throws Exception {
        Groups run = new Groups();
        run.duration = Duration.ofMillis(500);
        RunResult r = run.producers("p", p -> p.think = new TimeLaw.Constant(Duration.ofMillis(10))).consumers("c", c -> {})
            .execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(50);
        assertThat(r.blocked()).isZero();
    }

    @Test
    void rolledBackMessagesNeverArriveAndAreNotLost() throws Exception {
        RunResult r = new Groups().producers("p", p -> {
            p.messages = 5000;
            p.commitInterval = 10;
            p.rollback = 0.3;
        }).consumers("c", c -> {}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.rolledBack()).isBetween(1000L, 2000L);
        assertThat(r.received()).isEqualTo(5000 - r.rolledBack());
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).rolledBackDelivered()).isZero();
    }

    @Test
    void givenBackMessagesComeAgainAndRefusedOnesDoNot() throws Exception {
        RunResult r = new Groups().producers("p", p -> p.messages = 4000).consumers("c", c -> {
            c.requeue = 0.2;
            c.reject = 0.1;
        }).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.requeued()).isBetween(700L, 1400L);
        assertThat(r.rejected()).isBetween(250L, 700L);
        assertThat(r.received()).isEqualTo(4000 + r.requeued());
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).duplicates()).isZero();
    }

    @Test
    void everyRequestGetsItsReply() throws Exception {
        RunResult r = new Groups().producers("ask", p -> {
            p.count = 3;
            p.messages = 3000;
            p.maxPending = 5;
            p.request = new RequestReply(Duration.ofSeconds(5));
        }).consumers("answer", c -> {
            c.count = 2;
            c.replies = true;
        }).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.unanswered()).isZero();
        assertThat(Groups.group(r, "ask").received()).isEqualTo(3000);
        assertThat(Groups.group(r, "answer").sent()).isEqualTo(3000);
        assertThat(r.measured().get(Metric.ROUND_TRIP).count()).isEqualTo(3000);
        assertThat(r.measured().get(Metric.RESPONSE).count()).as("those of the replies alone").isEqualTo(3000);
        assertThat(r.received()).as("requests, not replies").isEqualTo(3000);
    }

    @Test
    void aRequestWithoutAReplyIsGivenUpInTime() throws Exception {
        RunResult r = new Groups("lose-every=10").producers("ask", p -> {
            p.messages = 30;
            p.maxPending = 2;
            p.request = new RequestReply(Duration.ofMillis(100));
        }).consumers("answer", c -> c.replies = true).execute();

        assertThat(r.unanswered()).isPositive();
        assertThat(r.failures()).anyMatch(Finding.Unanswered.class::isInstance);
        assertThat(r.exitCode()).isEqualTo(1);
    }

    @Test
    void requestsWithoutAnyoneToAnswerAreRefused() {
        assertThatThrownBy(() -> new Groups().producers("ask", p -> p.request = new RequestReply(Duration.ofSeconds(1)))
            .consumers("c", c -> {}).plan()).isInstanceOf(UsageException.class).hasMessageContaining("that replies");
    }

    @Test
    void aSummarizerPublishesHowManyMessagesCame() throws Exception {
        // By number of messages: a load that ends by time leaves messages unsent if the machine stalls until half a second after its end.
        RunResult r = new Groups().producers("p", p -> {
            p.to = new String[] {"topic://T"};
            p.load = rate(1000);
            p.messages = 1000;
        }).consumers("summarizer", c -> {
            c.from = new String[] {"topic://T"};
            c.summarizer = new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null);
        }).consumers("reader", c -> c.from = new String[] {"topic://COUNTS"}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(Objects.requireNonNull(r.measured().get(Metric.SEND_DELAY)).count()).as("counts are no load").isEqualTo(1000);
        long counts = Groups.group(r, "summarizer counts").sent();
        assertThat(r.groups()).filteredOn(GroupResult::publishesCounts).extracting(GroupResult::name).containsExactly("summarizer counts");
        assertThat(counts).isBetween(5L, 5 + Math.round(r.elapsed().toMillis() / 100.0));
        assertThat(Groups.group(r, "reader").received()).isEqualTo(counts);
        assertThat(Groups.group(r, "summarizer").received()).isEqualTo(1000);
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).corrupt()).isZero();
    }

    /** The summarizer continues until all messages are counted, which must not count as an early end of the load. */
    @Test
    void aSummarizerChangesNothingInHowTheScheduleIsJudged() throws Exception {
        Groups run = new Groups();
        run.duration = Duration.ofSeconds(1);
        RunResult r = run.producers("p", p -> p.load = new Load.Bursts(Rate.parse("200"), Duration.ofMillis(250), Duration.ofMillis(250)))
            .consumers("summarizer", c -> c.summarizer = new Summarizer(Destination.parse("topic://COUNTS"), Duration.ofMillis(100), null))
            .execute();

        assertThat(r.health().schedule().due()).isEqualTo(100);
        assertThat(r.health().schedule().askedPerSecond()).isEqualTo(100);
    }

    @Test
    void delayedMessagesComeAfterTheirTimeAndTheDifferenceIsMeasured() throws Exception {
        RunResult r = new Groups().producers("p", p -> {
            p.messages = 50;
            p.message = Groups.heldBack(Duration.ofMillis(200));
        }).consumers("c", c -> {}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.measured().get(Metric.LATE_DELIVERY).count()).isEqualTo(50);
        assertThat(r.measured().get(Metric.LATE_DELIVERY).negative()).isZero();
        assertThat(r.measured().get(Metric.TRANSFER).histogram().getMinValue()).isGreaterThan(199_000_000L);
    }

    /** Nothing comes for longer than the minute after which a load that ends with deliveries is given up elsewhere. */
    @Test
    void aLoadThatEndsWithDelayedDeliveriesWaitsForThem() throws Exception {
        RunResult r = new Groups().producers("p", p -> {
            p.load = rate(1);
            p.message = Groups.heldBack(Duration.ofMinutes(2));
        }).consumers("c", c -> c.messages = 5).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(5);
    }

    @Test
    void theTimeOfAHandlerIsMeasuredWhereOneIsConfigured() throws Exception {
        Groups run = new Groups();
        run.warmup = Duration.ofMillis(100);
        RunResult r = run.producers("p", p -> {
            p.to = new String[] {"topic://T"};
            p.load = rate(100);
            p.messages = 60;
        }).consumers("working", c -> {
            c.from = new String[] {"topic://T"};
            c.processing = new TimeLaw.Uniform(Duration.ofMillis(2), Duration.ofMillis(4));
        }).consumers("idle", c -> c.from = new String[] {"topic://T"}).execute();

        assertThat(r.failures()).isEmpty();
        // Messages that were due in the warm-up are excluded, as in all figures.
        Distribution handler = r.measured().get(Metric.HANDLER);
        assertThat(handler.count()).isEqualTo(50).isEqualTo(Groups.group(r, "working").measured().get(Metric.TRANSFER).count());
        assertThat(handler.negative()).isZero();
        assertThat(handler.meanNanos()).isBetween(2.5e6, 3.5e6);
        assertThat(handler.histogram().getMinValue()).isGreaterThanOrEqualTo(1_998_000L);
        assertThat(Groups.group(r, "idle").measured().get(Metric.HANDLER).count()).isZero();
    }

    @Test
    void theTimeOfAHandlerIsAsLongAsItWorked() throws Exception {
        RunResult r = new Groups().producers("p", p -> p.messages = 100)
            .consumers("c", c -> c.processing = new TimeLaw.Constant(Duration.ofMillis(3))).execute();

        assertThat(r.failures()).isEmpty();
        // The clock of this test advances almost only by waits, so each time is exact within the width of a histogram cell, which is 2 us.
        Distribution handler = r.measured().get(Metric.HANDLER);
        assertThat(handler.count()).isEqualTo(100);
        assertThat(handler.histogram().getMinNonZeroValue()).isBetween(2_998_000L, 3_000_000L);
        assertThat(handler.maxNanos()).isBetween(3_000_000L, 3_002_000L);
    }

    @Test
    void aConsumerThatAsksForMessagesGetsThem() throws Exception {
        RunResult r = new Groups().producers("p", p -> p.messages = 500).consumers("c", c -> c.polling = true).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(500);
    }

    @Test
    void aDrainOfABacklogEndsWhenItIsStopped() throws Exception {
        Groups run = new Groups();
        run.producers("p", p -> p.messages = 2000).consumers("c", c -> {
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
            c.processing = new TimeLaw.Constant(Duration.ofMillis(50));
            c.polling = true;
        });
        run.onEvent = e -> {
            if (e.what() instanceof Finding.ConsumersStart) {
                run.started().stop(2);
            }
        };
        RunResult r = run.execute();

        assertThat(r.signal()).isEqualTo(2);
        // The whole backlog would take 100 s. How many of its messages are still received without their processing time does not matter.
        assertThat(run.clock.elapsed()).isLessThan(10_000_000_000L);
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).undelivered() + r.received()).isEqualTo(2000);
    }
}
