package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;

import io.brokermeter.engine.finding.Drops;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.run.judge.Backlog;
import io.brokermeter.engine.run.judge.DropSettings;
import io.brokermeter.engine.run.judge.Judgement;
import io.brokermeter.engine.run.judge.VerdictCounts;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;

/** Tests of the settings that are named where messages did not come, or came again. */
class CausesTest {

    private static final LedgerReport LOST =
        new LedgerReport(Counts.NONE.with(Count.EXPECTED, 400).with(Count.LEDGER_RECEIVED, 12).with(Count.LOST, 388), null);

    private static Scenario scenario(String url, long ttl) {
        Groups groups = new Groups().producers("p", p -> p.load = new Load.Constant(Rate.parse("10"))).consumers("c", c -> {});
        Messages expiring = Messages.of(its -> {
            its.sizes = new Sizes.Fixed(64);
            its.ttlMillis = ttl;
            its.priorities = List.of();
            its.headers = List.of();
        });
        Scenario living = groups.plan().scenario().with(its -> its.producers = its.producers.stream()
            .map(spec -> spec.with(group -> group.messages = expiring)).toList());
        return living.with(its -> its.consumers = its.consumers.stream().map(spec -> spec.with(group -> {
            group.endpoint = new Endpoint("LOOPBACK", new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5)));
            group.ackMode = AckMode.BATCH;
            group.batch = 400;
        })).toList());
    }

    private static Judgement judgement(Scenario scenario, VerdictCounts verdictCounts, LedgerReport report) {
        // The loopback broker has neither times to live nor batches, and nothing is sent here.
        Driver all = (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class},
            (_, method, args) -> method.getName().equals("capabilities") ? EnumSet.allOf(Capability.class)
                : method.invoke(new Groups().driver(), args));
        return new Judgement(Plan.of(scenario, List.of(all)), verdictCounts, report);
    }

    @Test
    void theTimeToLiveThatTheRunSetIsNamed() {
        assertThat(judgement(scenario("loopback://x", 1_000), VerdictCounts.of(its -> {
        }), LOST).failures(false)).singleElement().isInstanceOfSatisfying(Finding.Lost.class,
            lost -> assertThat(lost.drops()).isEqualTo(new Drops(1_000, 0, "")));
    }

    @Test
    void whatLimitsAQueueIsNamed() {
        for (String bound : List.of("message-ttl=1000", "max-length=10", "arg.x-delivery-limit=3", "max-length-bytes=1000")) {
            assertThat(DropSettings.of(scenario("loopback://x?delay=1ms&" + bound, 0), 0).parameters()).isEqualTo(bound);
        }
        assertThat(DropSettings.of(scenario("kafka://x?topic-config=retention.ms=1000", 0), 0).parameters()).contains("retention.ms=1000");
        assertThat(DropSettings.of(scenario("loopback://x?delay=1ms", 0), 0)).isEqualTo(Drops.NONE);
    }

    @Test
    void whatTheRunItselfGaveBackIsNamed() {
        assertThat(judgement(scenario("loopback://x", 0), VerdictCounts.of(its -> its.set(Count.REQUEUED, 60)), LOST).failures(false))
            .singleElement().isInstanceOfSatisfying(Finding.Lost.class, lost -> assertThat(lost.drops().requeued()).isEqualTo(60));
    }

    @Test
    void aBatchThatFillsSlowlyIsNamedAsTheCauseOfDuplicates() {
        LedgerReport report =
            new LedgerReport(Counts.NONE.with(Count.EXPECTED, 400).with(Count.LEDGER_RECEIVED, 1_878).with(Count.DUPLICATES, 1_478), null);
        VerdictCounts slow = VerdictCounts.of(its -> its.backlog = new Backlog(1, Collections.nCopies(41, Backlog.Point.ZERO),
            new Backlog.Point(400, 0, 400, 400)));

        assertThat(judgement(scenario("loopback://x", 0), slow, report).notices(0))
            .contains(new Finding.BatchRedelivered(1_478, 400, 40));
    }

    @Test
    void aBatchThatCannotFillInTimeIsToldBeforeTheRun() {
        assertThat(scenario("loopback://x", 0).warnings(Setting::key)).singleElement().asString()
            .contains("400 messages at once", "in 40 s at this rate");
        Scenario fast = scenario("loopback://x", 0).with(its -> its.producers = its.producers.stream()
            .map(spec -> spec.with(group -> group.load = new Load.Constant(Rate.parse("100")))).toList());
        assertThat(fast.warnings(Setting::key)).isEmpty();
        Scenario hasty = fast.with(its -> its.consumers = scenario("nats://x?ack-wait=2", 0).consumers());
        assertThat(hasty.warnings(Setting::key)).singleElement().asString().contains("in 4 s at this rate");
    }
}
