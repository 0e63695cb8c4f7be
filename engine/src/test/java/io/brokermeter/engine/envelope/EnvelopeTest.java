package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

class EnvelopeTest {

    @Test
    void carriesEveryFieldThroughTwentyEightBytes() {
        byte[] body = Bodies.create(Envelope.SIZE);
        Envelope.prepare(body, 0xFEDC, 123_456);
        Envelope.stamp(body, 1L << 35, 1_700_000_000_123_456_789L, 54_321_000);
        ByteBuffer read = ByteBuffer.wrap(body);

        assertThat(Envelope.isIn(read)).isTrue();
        assertThat(Envelope.run(read)).isEqualTo(0xFEDC);
        assertThat(Envelope.producer(read)).isEqualTo(123_456);
        assertThat(Envelope.sequence(read)).isEqualTo(1L << 35);
        assertThat(Envelope.intended(read)).isEqualTo(1_700_000_000_123_456_789L);
        assertThat(Envelope.delayUnits(read) * Envelope.DELAY_UNIT).isEqualTo(54_321_000);
    }

    @Test
    void saysThatADelayBeyondItsRangeIsUnknown() {
        byte[] body = Bodies.create(64);
        Envelope.prepare(body, 1, 1);
        Envelope.stamp(body, 0, 0, 500_000_000_000L);

        assertThat(Envelope.delayUnits(ByteBuffer.wrap(body))).isEqualTo(Envelope.DELAY_OVERFLOW);
    }

    @Test
    void isNotFoundInForeignBodies() {
        assertThat(Envelope.isIn(ByteBuffer.allocate(0))).isFalse();
        assertThat(Envelope.isIn(ByteBuffer.allocate(27))).isFalse();
        assertThat(Envelope.isIn(ByteBuffer.wrap("a message of somebody else, long enough".getBytes(StandardCharsets.UTF_8)))).isFalse();
    }

    @Test
    void aNewRunHasThisHostsClock() {
        assertThat(Envelope.sameClock(Envelope.newRun(12345))).isTrue();
    }

    @Test
    void everyChangedByteBehindTheEnvelopeIsSeen() {
        int size = 70_000;
        byte[] body = Bodies.create(size);
        Bodies.Checker checker = new Bodies.Checker();
        assertThat(checker.intact(ByteBuffer.wrap(body))).isTrue();
        for (int at : new int[] {28, 29, 65_535, 65_536, size - 1}) {
            body[at] ^= 1;
            ByteBuffer read = ByteBuffer.wrap(body);
            assertThat(checker.intact(read)).as("byte %d", at).isFalse();
            assertThat(read.remaining()).isEqualTo(size);
            body[at] ^= 1;
        }
    }
}
