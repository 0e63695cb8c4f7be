package io.brokermeter.engine.envelope;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Supplier;

import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Messages;

/**
 * What the bodies of a group of producers are, and what these share to make them. Immutable.
 *
 * <p>Memory: each producer has one array as long as the longest body, except that a whole file is one array for all.
 * Compressible bodies share 4 MiB, lines their file.
 *
 * @param ownBytes bytes that each producer needs for itself
 * @param array gives an array for one producer, as long as the longest body
 * @param maker gives a maker for one producer, which works on its array
 */
record BodyLaw(int ownBytes, Supplier<byte[]> array, Function<Place, BodyMaker> maker) {

    /** Size of the bytes that compressible bodies are copied from: more than the windows of the usual compressors. */
    private static final int SEA = 4 << 20;
    private static final int BLOCK = 256;

    static BodyLaw of(Messages messages) {
        int head = messages.bare() || Envelope.isBeside(messages) ? 0 : Envelope.SIZE;
        SizeLaw sizes = SizeLaw.of(messages.sizes(), head);
        int longest = Math.max(messages.sizes().largest(), head);
        Function<Place, BodyMaker> prefix = place -> (array, sequence) -> sizes.next(place.random, place.turn(sequence));
        return switch (messages.content()) {
            // The stream that receivers know: a shorter body is the beginning of a longer one.
            case Content.Random ignored -> new BodyLaw(longest, () -> Bodies.create(longest), prefix);
            case Content.Constant(byte value) -> new BodyLaw(longest, () -> {
                byte[] array = new byte[longest];
                Arrays.fill(array, value);
                return array;
            }, prefix);
            case Content.Compressible(double share) -> {
                byte[] sea = sea(share);
                yield new BodyLaw(longest, () -> new byte[longest], place -> compressible(sizes, head, sea, place));
            }
            case Content.WholeFile(Path file) -> {
                byte[] whole = BodyFile.read(file);
                yield new BodyLaw(0, () -> whole, place -> (same, sequence) -> same.length);
            }
            // Message i of the group is line i.
            case Content.Lines(Path file) -> {
                FileLines lines = FileLines.read(file);
                yield new BodyLaw(lines.longest(), () -> new byte[lines.longest()],
                    place -> (array, sequence) -> lines.copy((int) (place.number(sequence) % lines.count()), array));
            }
            case Content.Template text -> {
                Template template = Template.of(text);
                yield new BodyLaw(template.longest(), () -> new byte[template.longest()], template::maker);
            }
        };
    }

    /**
     * Where a producer stands.
     *
     * @param producer its number in the run
     * @param stripe its number among the producers of its group
     * @param stripes how many these are
     * @param random its own
     */
    record Place(int producer, int stripe, int stripes, SplittableRandom random) {

        /** The number of a message among those of the whole group, in the order of its schedule. */
        long number(long sequence) {
            return stripe + sequence * stripes;
        }

        /** Counts messages, from another number for each producer, so that they do not go through a cycle in step. */
        long turn(long sequence) {
            return stripe + sequence;
        }
    }

    /** Of each block the first part is random and the rest is zeros. */
    private static byte[] sea(double share) {
        byte[] sea = new byte[SEA];
        new SplittableRandom(SEA).nextBytes(sea);
        double zeros = 0;
        for (int block = 0; block < SEA; block += BLOCK) {
            // What is left of a fraction goes into the next block.
            zeros += share * BLOCK;
            int whole = Math.min(BLOCK, (int) zeros);
            zeros -= whole;
            Arrays.fill(sea, block + BLOCK - whole, block + BLOCK, (byte) 0);
        }
        return sea;
    }

    /**
     * Copies bodies one after the other from the sea, so that neighbours differ and a compressor that sees many of them at once finds no more
     * repetition than within one.
     *
     * @param head bytes at the beginning that are left as they are
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
