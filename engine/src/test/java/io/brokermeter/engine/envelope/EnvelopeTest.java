package io.brokermeter.engine.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeTest {

    private static final long NOW = EpochClock.nanos();

    @Test
    void carriesEveryFieldThroughTwentyEightBytes() {
        SplittableRandom random = new SplittableRandom(1);
        byte[] body = Bodies.create(Envelope.SIZE);
        ByteBuffer read = ByteBuffer.wrap(body);
        for (int i = 0; i < 100_000; i++) {
            long run = random.nextLong(1L << 38);
            int producer = random.nextInt(Envelope.PRODUCERS);
            long sequence = random.nextLong(1L << 36);
            long intended = NOW + random.nextLong(-500_000_000_000_000_000L, 500_000_000_000_000_000L);
            long units = random.nextLong(Envelope.DELAY_OVERFLOW);
            int content = random.nextInt(1 << 22);
            Envelope.prepare(body, run, producer, i % 2 == 0);
            Envelope.stamp(body, sequence, intended, units * Envelope.DELAY_UNIT, content);

            assertThat(Envelope.isIn(read)).isTrue();
            assertThat(Envelope.bodyIsKnown(read)).isEqualTo(i % 2 == 0);
            assertThat(Envelope.run(read)).isEqualTo(run);
            assertThat(Envelope.producer(read)).isEqualTo(producer);
            assertThat(Envelope.sequence(read)).isEqualTo(sequence);
            assertThat(Envelope.intended(read)).isEqualTo(intended);
            assertThat(Envelope.delayUnits(read)).isEqualTo(units);
            assertThat(Envelope.content(read)).isEqualTo(content);
        }
    }

    @Test
    void saysThatADelayBeyondItsRangeIsUnknown() {
        byte[] body = Bodies.create(64);
        Envelope.prepare(body, 1, 1, true);
        Envelope.stamp(body, 0, 0, 500_000_000_000L, 64);

        assertThat(Envelope.delayUnits(ByteBuffer.wrap(body))).isEqualTo(Envelope.DELAY_OVERFLOW);
    }

    @Test
    void anOlderVersionIsRecognisedAsOld() {
        for (int version = 1; version <= 2; version++) {
            ByteBuffer old = ByteBuffer.wrap(Bodies.create(64)).putShort(0, (short) (0xB3E0 | version));
            assertThat(Envelope.isIn(old)).isFalse();
            assertThat(Envelope.isOfAnotherVersion(old)).isTrue();
        }
        ByteBuffer shortest = ByteBuffer.wrap(Bodies.create(Envelope.SIZE)).putShort(0, (short) 0xB3E1);
        assertThat(Envelope.isOfAnotherVersion(shortest)).isTrue();
        assertThat(Envelope.isOfAnotherVersion(shortest.putShort(0, (short) 0xB3E3))).isFalse();
        ByteBuffer cut = ByteBuffer.wrap(Bodies.create(20)).putShort(0, (short) 0xB3E3);
        assertThat(Envelope.isOfAnotherVersion(cut)).isFalse();
        assertThat(Envelope.isRemnant(cut)).isTrue();
        assertThat(Envelope.isRemnant(cut.limit(2))).isTrue();
        assertThat(Envelope.isRemnant(cut.limit(1))).isFalse();
    }

    @Test
    void isNotFoundInForeignBodies() {
        assertThat(Envelope.isIn(ByteBuffer.allocate(0))).isFalse();
        assertThat(Envelope.isIn(ByteBuffer.allocate(27))).isFalse();
        assertThat(Envelope.isIn(ByteBuffer.wrap("a message of somebody else, long enough".getBytes(StandardCharsets.UTF_8)))).isFalse();
    }

    @Test
    void aNewRunHasThisHostsClock() {
        for (long error : new long[] {0, 1_000, -1_000, 100_000, -100_000, 131_072, -131_072}) {
            assertThat(Envelope.sameClock(Envelope.newRun(12345, EpochClock.zero() + error))).isTrue();
        }
        for (long error : new long[] {262_144, -262_144}) {
            assertThat(Envelope.sameClock(Envelope.newRun(12345, EpochClock.zero() + error))).as("two units of 131 us").isFalse();
        }
        assertThat(Envelope.sameClock(Envelope.newRun(54321))).isTrue();
    }

    @Test
    void clocksThatDifferAreNoticedButForOneInTwentyThousand() {
        SplittableRandom random = new SplittableRandom(2);
        int unnoticed = 0;
        for (int i = 0; i < 200_000; i++) {
            // The clock of another machine may have begun at any moment.
            unnoticed += Envelope.sameClock(Envelope.newRun(random.nextLong(), random.nextLong(1L << 60))) ? 1 : 0;
        }
        assertThat(unnoticed).isLessThan(30);
        for (long step : new long[] {1_000_000, -1_000_000, 1_000_000_000, -60_000_000_000L, 3_600_000_000_000L, 86_400_000_000_000L}) {
            assertThat(Envelope.sameClock(Envelope.newRun(1, EpochClock.zero() + step))).as("step of %d ns", step).isFalse();
        }
    }

    @Test
    void runsHaveDifferentNumbers() {
        SplittableRandom random = new SplittableRandom(3);
        Set<Long> runs = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            runs.add(Envelope.newRun(random.nextLong()));
        }
        // Of 1,000 numbers drawn from four million at most a few are equal; with ten bits there would be only 1,024 different ones.
        assertThat(runs).hasSizeGreaterThan(995);
        assertThat(runs).as("38 bits").allMatch(run -> run >>> 38 == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyChangedByteAndEveryOtherLengthIsSeen(boolean inBody) {
        Bodies.Checker checker = new Bodies.Checker();
        for (int size : new int[] {28, 29, 64, 1024, 65_536, 70_000, 5_000_000}) {
            byte[] bytes = Bodies.create(size);
            byte[] beside = inBody ? bytes : new byte[Envelope.SIZE];
            Envelope.prepare(beside, 7, 3, true);
            Envelope.stamp(beside, 4, NOW, 1_000, Envelope.length(size));
            ByteBuffer body = ByteBuffer.wrap(bytes);
            ByteBuffer head = inBody ? body : ByteBuffer.wrap(beside);
            assertThat(checker.intact(head, body)).isTrue();
            for (int at : new int[] {0, 4, 20, 28, 29, 65_535, 65_536, size - 1}) {
                if (at < size && !(inBody && at < Envelope.SIZE)) {
                    bytes[at] ^= 1;
                    assertThat(checker.intact(head, body)).as("byte %d of %d", at, size).isFalse();
                    assertThat(body.remaining()).isEqualTo(size);
                    bytes[at] ^= 1;
                }
            }
            for (int less : new int[] {1, 2, 10, 4096, 65_536, 1 << 22}) {
                if (size - less >= Envelope.SIZE) {
                    body.limit(size - less);
                    assertThat(checker.intact(head, body)).as("%d bytes less of %d", less, size).isFalse();
                    body.limit(size);
                }
            }
        }
    }

    /** As a client hands it out: in the middle of a larger buffer; and by turns with its envelope in it and beside it. */
    @Test
    void aBodyMayBeginAnywhereInItsBuffer() {
        Bodies.Checker checker = new Bodies.Checker();
        for (int round = 0; round < 12; round++) {
            boolean inBody = round % 2 == 0;
            int size = round < 6 ? 64 : 70_000;
            byte[] bytes = new byte[5 + size + 3];
            System.arraycopy(Bodies.create(size), 0, bytes, 5, size);
            byte[] beside = new byte[Envelope.SIZE];
            Envelope.prepare(beside, 7, 3, true);
            Envelope.stamp(beside, 4, NOW, 1_000, Envelope.length(size));
            if (inBody) {
                System.arraycopy(beside, 0, bytes, 5, Envelope.SIZE);
            }
            ByteBuffer body = ByteBuffer.wrap(bytes).limit(5 + size).position(5);
            ByteBuffer head = inBody ? body : ByteBuffer.wrap(beside);
            assertThat(checker.intact(head, body)).as("round %d", round).isTrue();
            assertThat(body.position()).isEqualTo(5);
            assertThat(body.limit()).isEqualTo(5 + size);
            for (int at : new int[] {5 + (inBody ? Envelope.SIZE : 0), 4 + size}) {
                bytes[at] ^= 1;
                assertThat(checker.intact(head, body)).as("byte %d in round %d", at, round).isFalse();
                bytes[at] ^= 1;
            }
            assertThat(Envelope.sequence(head)).isEqualTo(4);
        }
    }

    /** The check of an envelope has room for 4,194,301 lengths. */
    @Test
    void aLengthIsKnownUpToFourMillionBytes() {
        assertThat(Envelope.length(4_194_300)).isEqualTo(4_194_300);
        assertThat(Envelope.length(4_194_301)).isZero();
        assertThat(Envelope.length(5_000_000)).isEqualTo(805_699);
    }

    @ParameterizedTest
    @CsvSource({"27, false, 0, true, true", "28, false, 28, false, false", "27, true, 0, false, true",
        "'lognormal:5,1', false, 28, false, false"})
    void anEnvelopeIsBesideWhatIsTooSmallForIt(String sizes, boolean bare, int inBody, boolean beside, boolean tooSmall) {
        Messages messages = Messages.of(its -> {
            its.sizes = Sizes.parse(sizes);
            its.bare = bare;
        });
        assertThat(Envelope.isBeside(messages)).isEqualTo(beside);
        assertThat(Envelope.sizeInBody(messages)).isEqualTo(inBody);
        assertThat(Envelope.isTooSmall(messages)).isEqualTo(tooSmall);
    }

    /** What is sent as it is has no room for an envelope, whatever its size. */
    @Test
    void anEnvelopeIsBesideWhatMustBeLeftAsItIs() {
        Messages messages = Messages.of(its -> {
            its.sizes = Sizes.parse("1");
            its.content = Content.parse("file:f");
        });
        assertThat(Envelope.isBeside(messages)).isTrue();
        assertThat(Envelope.isTooSmall(messages)).isFalse();
    }

    @Test
    void aChangedBitOfTheEnvelopeIsSeen() {
        byte[] body = Bodies.create(100);
        SplittableRandom random = new SplittableRandom(5);
        Bodies.Checker checker = new Bodies.Checker();
        ByteBuffer read = ByteBuffer.wrap(body);
        for (int i = 0; i < 200; i++) {
            Envelope.prepare(body, random.nextLong(1L << 38), random.nextInt(1000), true);
            Envelope.stamp(body, random.nextLong(1L << 36), NOW + random.nextInt(), random.nextInt(1000) * 100L, 100);
            assertThat(checker.intact(read, read)).isTrue();
            for (int bit = 16; bit < Envelope.SIZE * 8; bit++) {
                body[bit / 8] ^= (byte) (0x80 >>> bit % 8);
                assertThat(checker.intact(read, read)).as("bit %d", bit).isFalse();
                body[bit / 8] ^= (byte) (0x80 >>> bit % 8);
            }
        }
    }
}
