package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

class BottleneckTest {

    private static final int PACKET = 1_448;
    private static final long MILLI = 1_000_000;

    private final Bottleneck bottleneck = new Bottleneck();
    private final List<Bottleneck.Share> shares = new ArrayList<>();
    private final List<Long> bytes = new ArrayList<>();
    private NetworkRule rule = NetworkRule.parse("bandwidth=8Mbit");
    private long now;

    private int join() {
        shares.add(bottleneck.new Share());
        bytes.add(0L);
        return shares.size() - 1;
    }

    /** Lets the senders add packets in each half of a millisecond, as many as they may, always in the same order. */
    private void send(int millis, int... senders) {
        for (long end = now + millis * MILLI; now < end; now += MILLI / 2) {
            for (int one : senders) {
                for (long room = room(one); room > 0; room = room(one)) {
                    int n = (int) Math.min(room, PACKET);
                    bottleneck.pass(rule, n, now);
                    shares.get(one).add(n);
                    bytes.set(one, bytes.get(one) + n);
                }
            }
        }
    }

    private long room(int one) {
        return shares.get(one).room(rule, PACKET, now);
    }

    @Test
    void oneAloneHasAllOfIt() {
        send(1_000, join());
        assertThat(bytes.getFirst() - bottleneck.waiting(rule, now)).isCloseTo(1e6, within(PACKET * 1.0));
        assertThat(bottleneck.waiting(rule, now)).isCloseTo(32 * PACKET, within(PACKET * 1.0));
    }

    @Test
    void severalTogetherHaveNoMoreAndEachAnEqualPart() {
        int[] all = {join(), join(), join(), join()};
        send(2_000, all);
        assertThat(bytes.stream().mapToLong(Long::longValue).sum() - bottleneck.waiting(rule, now)).isCloseTo(2e6, within(PACKET * 1.0));
        assertThat(bytes).allSatisfy(one -> assertThat(one).isBetween(450_000L, 550_000L));
    }

    /** The queue is full of bytes of the first connection when the second one joins. */
    @Test
    void whoComesLaterHasRoomAtOnceAndAnEqualPart() {
        int first = join();
        send(500, first);
        int second = join();
        assertThat(room(first)).isLessThanOrEqualTo(PACKET);
        assertThat(room(second)).isEqualTo(16 * PACKET);
        long before = bytes.get(first);
        send(1_000, first, second);
        assertThat(bytes.get(first) - before).isBetween(420_000L, 550_000L);
        assertThat(bytes.get(second)).isBetween(450_000L, 580_000L);
    }

    @Test
    void whoHasNothingInTheQueueTakesNoPart() {
        int first = join();
        int second = join();
        send(100, first, second);
        send(100, first);
        assertThat(room(second)).isEqualTo(16 * PACKET);
        long before = bytes.get(first);
        send(1_000, first);
        assertThat(bytes.get(first) - before).isCloseTo(1_000_000L, within(2L * PACKET));
        shares.get(first).leave();
        assertThat(room(second)).isEqualTo(32 * PACKET);
    }

    @Test
    void evenOneOfAHundredMayAddAPacket() {
        int[] all = new int[100];
        for (int i = 0; i < all.length; i++) {
            all[i] = join();
        }
        send(1_000, all);
        List<Long> before = List.copyOf(bytes);
        send(3_000, all);
        for (int one : all) {
            assertThat(bytes.get(one) - before.get(one)).isCloseTo(30_000L, within(2L * PACKET));
        }
        assertThat(bottleneck.waiting(rule, now)).isLessThanOrEqualTo(100 * PACKET);
    }

    @Test
    void theQueueIsWhatPassesInARoundTrip() {
        rule = NetworkRule.parse("bandwidth=8Mbit rtt=200ms");
        assertThat(room(join())).isEqualTo(200_000);
        assertThat(Bottleneck.queue(NetworkRule.parse("bandwidth=8Mbit rtt=1ms"), PACKET)).isEqualTo(32.0 * PACKET);
    }
}
