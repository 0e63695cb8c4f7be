package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

class InFlightTest {

    private final MqttProducer owner = FakeMqttBroker.producerOfNobody();

    @Test
    void givesEveryIdInTurnAndNoneThatIsInFlight() {
        var flying = new InFlight(100);
        var inFlight = new ArrayDeque<Integer>();
        Set<Integer> ids = new HashSet<>();
        for (long number = 0; number < 3L * InFlight.IDS; number++) {
            int id = flying.add(owner, number);
            assertThat(inFlight).doesNotContain(id);
            ids.add(id);
            inFlight.add(id);
            if (inFlight.size() == 5) {
                long place = flying.place(inFlight.remove());
                assertThat(flying.number(place)).isEqualTo(number - 4);
                flying.done(place);
                flying.publish();
            }
        }
        assertThat(ids).hasSize(InFlight.IDS).doesNotContain(0);
    }

    @Test
    void goesOnWithItsIdsWhenItGrows() {
        var flying = new InFlight(100);
        int last = flying.add(owner, 0);
        flying.done(flying.place(last));
        flying.publish();
        var larger = flying.larger(1000);
        assertThat(larger.size()).isZero();
        assertThat(larger.place(last)).isNegative();
        int next = larger.add(owner, 1);
        assertThat(next).isEqualTo(last + 1);
        assertThat(larger.number(larger.place(next))).isEqualTo(1);
    }

    @Test
    void freesPlacesWhenEverythingBeforeThemIsDone() {
        var random = new Random(3);
        var flying = new InFlight(64);
        var waiting = new java.util.ArrayList<Integer>();
        long done = 0;
        for (long number = 0; done < 200_000;) {
            while (flying.size() < flying.capacity() && random.nextInt(4) > 0) {
                waiting.add(flying.add(owner, number++));
            }
            for (int i = random.nextInt(10); i > 0 && !waiting.isEmpty(); i--) {
                int id = waiting.remove(random.nextInt(waiting.size()));
                long place = flying.place(id);
                assertThat(place).isNotNegative();
                flying.done(place);
                assertThat(flying.place(id)).isNegative();
                done++;
            }
            flying.publish();
        }
        while (!waiting.isEmpty()) {
            flying.done(flying.place(waiting.removeLast()));
        }
        flying.publish();
        assertThat(flying.size()).isZero();
    }

    @Test
    void knowsNoPlaceForIdsThatNobodyUsed() {
        var flying = new InFlight(InFlight.IDS);
        assertThat(flying.capacity()).isEqualTo(InFlight.IDS);
        int id = flying.add(owner, 1);
        for (int other = 0; other <= 65_535; other++) {
            assertThat(flying.place(other) >= 0).isEqualTo(other == id);
        }
    }
}
