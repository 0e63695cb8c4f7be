package io.brokermeter.engine.envelope;

import java.util.Arrays;
import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Messages;

/**
 * What the bodies of a group of producers are, and what these share to make them. Immutable.
 *
 * <p>Memory: each producer has one array as long as the longest body, except that a whole file is one array for all.
 * Compressible bodies share 4 MiB, lines their file.
 */
sealed interface BodyLaw {

    /** Bytes that each producer needs for itself. */
    int ownBytes();

    /** An array for one producer, as long as the longest body. */
    byte[] array();

    /** A maker for one producer, which works on its {@link #array()}. */
    BodyMaker maker(Place place);

    static BodyLaw of(Messages messages) {
        int head = messages.bare() || Envelope.isBeside(messages) ? 0 : Envelope.SIZE;
        SizeLaw sizes = SizeLaw.of(messages.sizes(), head);
        int longest = Math.max(messages.sizes().largest(), head);
        return switch (messages.content()) {
            case Content.Random ignored -> new Stream(sizes, longest);
            case Content.Constant constant -> new Constant(sizes, longest, constant.value());
            case Content.Compressible compressible ->
                    new Compressible(sizes, longest, head, Compressible.sea(compressible.share()));
            case Content.WholeFile whole -> new Whole(BodyFile.read(whole.file()));
            case Content.Lines lines -> new OfLines(Lines.read(lines.file()));
            case Content.Template template -> new OfTemplate(Template.of(template));
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

    /** The stream that receivers know: a shorter body is the beginning of a longer one. */
    record Stream(SizeLaw sizes, int ownBytes) implements BodyLaw {

        @Override
        public byte[] array() {
            return Bodies.create(ownBytes);
        }

        @Override
        public BodyMaker maker(Place place) {
            return (array, sequence) -> sizes.next(place.random, place.turn(sequence));
        }
    }

    /** One byte all over. */
    record Constant(SizeLaw sizes, int ownBytes, byte value) implements BodyLaw {

        @Override
        public byte[] array() {
            byte[] array = new byte[ownBytes];
            Arrays.fill(array, value);
            return array;
        }

        @Override
        public BodyMaker maker(Place place) {
            return (array, sequence) -> sizes.next(place.random, place.turn(sequence));
        }
    }

    /**
     * Bodies are copied one after the other from a sea of bytes, so that neighbours differ and a compressor that sees many of
     * them at once finds no more repetition than within one.
     *
     * @param head bytes at the beginning that are left as they are
     */
    @SuppressWarnings("ArrayRecordComponent") // shared and never compared
    record Compressible(SizeLaw sizes, int ownBytes, int head, byte[] sea) implements BodyLaw {

        /** More than the windows of the usual compressors. */
        private static final int SEA = 4 << 20;
        private static final int BLOCK = 256;

        /** Of each block the first part is random and the rest is zeros. */
        static byte[] sea(double share) {
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

        @Override
        public byte[] array() {
            return new byte[ownBytes];
        }

        @Override
        public BodyMaker maker(Place place) {
            return new BodyMaker() {

                private int from = place.random.nextInt(SEA);

                @Override
                public int make(byte[] array, long sequence) {
                    int length = sizes.next(place.random, place.turn(sequence));
                    for (int at = head; at < length; ) {
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

    /** A file, which nobody changes. */
    @SuppressWarnings("ArrayRecordComponent") // shared and never compared
    record Whole(byte[] array) implements BodyLaw {

        @Override
        public int ownBytes() {
            return 0;
        }

        @Override
        public BodyMaker maker(Place place) {
            return (same, sequence) -> same.length;
        }
    }

    /** Message {@code i} of the group is line {@code i}. */
    record OfLines(Lines lines) implements BodyLaw {

        @Override
        public int ownBytes() {
            return lines.longest();
        }

        @Override
        public byte[] array() {
            return new byte[lines.longest()];
        }

        @Override
        public BodyMaker maker(Place place) {
            int count = lines.count();
            return (array, sequence) -> lines.copy((int) (place.number(sequence) % count), array);
        }
    }

    /** A text with placeholders. */
    record OfTemplate(Template template) implements BodyLaw {

        @Override
        public int ownBytes() {
            return template.longest();
        }

        @Override
        public byte[] array() {
            return new byte[template.longest()];
        }

        @Override
        public BodyMaker maker(Place place) {
            return template.maker(place);
        }
    }
}
