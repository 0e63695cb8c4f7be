package io.brokermeter.engine.envelope;

import java.util.SplittableRandom;

import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.engine.scenario.message.Weighted;

/** The law by which the sizes of bodies are drawn. Shared by the producers of a group; a draw allocates nothing. */
@FunctionalInterface
interface SizeLaw {

    /** Returns the size of the next body in bytes. {@code turn} grows by one with each message of a producer. */
    int next(SplittableRandom random, long turn);

    /** Returns the law of {@code sizes}; log-normal sizes below {@code least} are raised to it. */
    static SizeLaw of(Sizes sizes, int least) {
        return switch (sizes) {
            case Sizes.Fixed(int bytes) -> (random, turn) -> bytes;
            case Sizes.Cycle cycle -> {
                int[] bytes = cycle.bytes().stream().mapToInt(Integer::intValue).toArray();
                yield (random, turn) -> bytes[(int) (turn % bytes.length)];
            }
            case Sizes.Uniform(int smallest, int largest) ->
                (random, turn) -> smallest + random.nextInt(largest - smallest + 1);
            case Sizes.LogNormal law -> (random, turn) -> logNormal(law, least, random);
            case Sizes.Empirical empirical -> {
                int[] bytes = empirical.shares().stream().mapToInt(Weighted::value).toArray();
                AliasTable table = AliasTable.of(empirical.shares().stream().mapToDouble(Weighted::share).toArray());
                yield (random, turn) -> bytes[table.draw(random)];
            }
        };
    }

    /** Draws until a size is not too large; at most half of the draws are, because the limit is never below the median. */
    private static int logNormal(Sizes.LogNormal law, int least, SplittableRandom random) {
        double size;
        do {
            size = Math.rint(law.median() * Math.exp(law.sigma() * random.nextGaussian()));
        } while (size > law.largest());
        return Math.max(least, (int) size);
    }
}
