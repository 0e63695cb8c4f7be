package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Test;

/** Tests of how long a run waits for what does not come, and for what comes late. */
class DrainLimitsTest {

    /** Stops the run after a number of intervals of 100 ms, so that a run that would never end fails its test. */
    private static Groups guarded(Groups groups, int intervals) {
        AtomicInteger seen = new AtomicInteger();
        groups.onInterval = _ -> {
            if (seen.incrementAndGet() == intervals) {
                groups.started().stop(2);
            }
        };
        return groups;
    }

    private static Summarizer counts(Duration every) {
        return new Summarizer(Destination.parse("topic://COUNTS"), every, null);
    }

    /** Every other message is lost, so the backlog is never complete; counts go on until the drain is over. */
    @Test
    void aBacklogOfWhichSomethingIsMissingEndsAlsoWhileCountsArePublished() throws Exception {
        Groups groups = guarded(new Groups("lose-every=2"), 300);
        groups.drain = Duration.ofSeconds(1);
        RunResult r = groups.producers("p", p -> p.messages = 20).consumers("c", c -> {
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
            c.summarizer = counts(Duration.ofMillis(100));
        }).consumers("reader", c -> c.from = new String[] {"topic://COUNTS"}).execute();

        assertThat(r.signal()).as("it ended by itself").isZero();
        assertThat(Groups.group(r, "c").received()).isEqualTo(10);
    }

    /** The loopback broker delivers in the thread of the sender, which the consumer holds up. */
    @Test
    void producersThatAreBlockedAreNoticedAlsoWhileCountsArePublished() throws Exception {
        RunResult r = guarded(new Groups(), 1_500).producers("p", p -> p.messages = 10).consumers("c", c -> {
            c.processing = new TimeLaw.Constant(Duration.ofHours(10));
            c.summarizer = counts(Duration.ofSeconds(1));
        }).execute();

        assertThat(r.signal()).as("it ended by itself").isZero();
        assertThat(r.failures()).hasAtLeastOneElementOfType(Finding.Stuck.class);
    }

    /** Half of the messages for the first group are lost, while the second one gets messages for ever. */
    @Test
    void aGroupThatWaitsInVainForItsNumberIsNoticedAlsoWhileOthersGetMessages() throws Exception {
        RunResult r = guarded(new Groups("lose-every=2"), 1_500).producers("p1", p -> {
            p.to = new String[] {"queue://A"};
            p.messages = 10;
        }).producers("p2", p -> {
            p.to = new String[] {"queue://B"};
            p.load = new Load.Constant(Rate.perSecond(10));
        }).consumers("a", c -> {
            c.from = new String[] {"queue://A"};
            c.messages = 10;
        }).consumers("b", c -> c.from = new String[] {"queue://B"}).execute();

        assertThat(r.signal()).as("it ended by itself").isZero();
        assertThat(r.failures()).hasAtLeastOneElementOfType(Finding.TooFewTaken.class);
    }

    /** The broker holds the messages back for longer than the drain timeout. */
    @Test
    void theDrainWaitsForDeliveriesThatTheBrokerHoldsBack() throws Exception {
        Groups groups = new Groups();
        RunResult r = groups.producers("p", p -> {
            p.messages = 10;
            p.message = Groups.heldBack(Duration.ofMinutes(2));
        }).consumers("c", c -> {}).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.received()).isEqualTo(10);
        assertThat(groups.events).extracting(Event::kind).as("nothing was due before").doesNotContain(Event.Kind.STALL);
    }

    /** Each reply takes 20 s, so one is still to come 10 s after the load. */
    @Test
    void aRequestHasItsOwnTimeAlsoInTheDrain() throws Exception {
        Groups groups = new Groups("linger=1ms");
        groups.duration = Duration.ofSeconds(30);
        RunResult r = groups.producers("ask", p -> {
            p.maxPending = 1;
            p.request = new RequestReply(Duration.ofSeconds(60));
        }).consumers("answer", c -> {
            c.replies = true;
            c.processing = new TimeLaw.Constant(Duration.ofSeconds(20));
        }).execute();

        assertThat(r.failures()).doesNotHaveAnyElementsOfTypes(Finding.Unanswered.class);
        assertThat(r.unanswered()).isZero();
    }

    /** The third message is lost, and is waited for no longer than without requests, all of which are answered. */
    @Test
    void noOtherMessagesAreWaitedForAsLongAsRequests() throws Exception {
        Groups groups = new Groups("lose-every=3");
        groups.drain = Duration.ofSeconds(1);
        RunResult r = groups.producers("p", p -> {
            p.to = new String[] {"queue://A"};
            p.messages = 3;
        }).producers("ask", p -> {
            p.messages = 1;
            p.start = Start.after(Duration.ofSeconds(1));
            p.request = new RequestReply(Duration.ofSeconds(60));
        }).consumers("a", c -> c.from = new String[] {"queue://A"}).consumers("answer", c -> c.replies = true).execute();

        assertThat(r.failures()).containsExactly(new Finding.Lost(1, true, Duration.ofSeconds(1)));
        assertThat(groups.clock.elapsed()).isLessThan(10_000_000_000L);
    }
}
