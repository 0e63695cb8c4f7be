package io.brokermeter.engine.envelope;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;

import io.brokermeter.engine.envelope.MessageSource.Knowledge;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Messages;

/**
 * The law by which the producers of a group make their bodies, with the data that they share for it. Immutable.
 *
 * <p>Memory: each producer has one array as long as the longest body, except that a whole file is one array for all
 * producers. Compressible bodies share 4 MiB, lines share their file.
 *
 * @param knowledge knowledge that receivers have of the bodies beforehand
 * @param longest number of bytes of the longest body
 * @param alike whether all bodies are known to be as long as the longest
 * @param ownBytes number of bytes that each producer needs for itself
 * @param array supplies an array for one producer, as long as the longest body
 * @param maker creates a maker for one producer, which works on the array of that producer
 */
record BodyLaw(Knowledge knowledge, int longest, boolean alike, int ownBytes, Supplier<byte[]> array, Function<Place, BodyMaker> maker) {

    /** Number of bytes that compressible bodies are copied from, which exceeds the windows of the usual compressors. */
    private static final int SEA = 4 << 20;
    private static final int BLOCK = 256;

    static BodyLaw of(Messages messages) {
        int head = Envelope.sizeInBody(messages);
        SizeLaw sizes = SizeLaw.of(messages.sizes(), head);
        int longest = Math.max(messages.sizes().largest(), head);
        boolean alike = Math.max(messages.sizes().smallest(), head) == longest;
        Function<Place, BodyMaker> prefix = place -> (array, sequence) -> sizes.next(place.random, place.turn(sequence));
        return switch (messages.content()) {
            // The stream that receivers know: a shorter body is the beginning of a longer one.
            case Content.Random ignored -> new BodyLaw(Knowledge.KNOWN, longest, alike, longest, () -> Bodies.create(longest), prefix);
            case Content.Constant(byte value) -> new BodyLaw(Knowledge.ALIKE, longest, alike, longest, () -> {
                byte[] array = new byte[longest];
                Arrays.fill(array, value);
                return array;
            }, prefix);
            case Content.Compressible(double share) -> {
                byte[] sea = sea(share);
                yield new BodyLaw(Knowledge.UNKNOWN, longest, alike, longest, () -> new byte[longest],
                    place -> compressible(sizes, head, sea, place));
            }
            case Content.WholeFile(Path file) -> {
                byte[] whole = BodyFile.read(file);
                yield new BodyLaw(Knowledge.ALIKE, whole.length, true, 0, () -> whole, place -> (same, sequence) -> same.length);
            }
            // Message i of the group is line i.
            case Content.Lines(Path file) -> {
                FileLines lines = FileLines.read(file);
                yield new BodyLaw(Knowledge.UNKNOWN, lines.longest(), false, lines.longest(), () -> new byte[lines.longest()],
                    place -> (array, sequence) -> lines.copy((int) (place.number(sequence) % lines.count()), array));
            }
            case Content.Template text -> {
                Template template = Template.of(text);
                yield new BodyLaw(Knowledge.UNKNOWN, template.longest(), false, template.longest(), () -> new byte[template.longest()],
                    template::maker);
            }
        };
    }

    /**
     * The place of a producer in the run and in its group.
     *
     * @param producer number of the producer in the run
     * @param stripe number of the producer among those of its group
     * @param stripes number of producers in the group
     * @param random source of random numbers of the producer
     */
    record Place(int producer, int stripe, int stripes, SplittableRandom random) {

        /** Returns the number of a message among those of the whole group, in the order of the group's schedule. */
        long number(long sequence) {
            return stripe + sequence * stripes;
        }

        /** Returns a message count that starts at another number for each producer, so that producers do not cycle in step. */
        long turn(long sequence) {
            return stripe + sequence;
        }
    }

    /** Creates the bytes of compressible bodies: blocks of random bytes followed by zeros, which are {@code share} of all bytes. */
    private static byte[] sea(double share) {
        byte[] sea = new byte[SEA];
        new SplittableRandom(SEA).nextBytes(sea);
        double zeros = 0;
        for (int block = 0; block < SEA; block += BLOCK) {
            // The fraction of a byte that is left over is carried into the next block.
            zeros += share * BLOCK;
            int whole = Math.min(BLOCK, (int) zeros);
            zeros -= whole;
            Arrays.fill(sea, block + BLOCK - whole, block + BLOCK, (byte) 0);
        }
        return sea;
    }

    /**
     * Returns a maker that copies successive parts of {@code sea}, so that successive bodies differ and a compressor that
     * sees many of them at once finds no more repetition than within one body.
     *
     * @param head number of bytes at the beginning of the array that are left unchanged
     */
    private static BodyMaker compressible(SizeLaw sizes, int head, byte[] sea, Place place) {
        return new BodyMaker() {

            private int from = place.random.nextInt(SEA);

            @Override
            public int make(byte[] array, long sequence) {
                int length = sizes.next(place.random, place.turn(sequence));
                for (int at = head; at < length;) {
                    int part = Math.min(length - at, SEA - from);
                    System.arraycopy(sea, from, array, at, part);
                    at += part;
                    from = from + part == SEA ? 0 : from + part;
                }
                return length;
            }
        };
    }
}
