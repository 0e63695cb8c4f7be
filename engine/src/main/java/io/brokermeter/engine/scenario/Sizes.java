package io.brokermeter.engine.scenario;

import java.util.List;

/** How large bodies are, in bytes. */
public sealed interface Sizes {

    /** All alike. */
    record Fixed(int bytes) implements Sizes {}

    /** These sizes in turn. */
    record Cycle(List<Integer> bytes) implements Sizes {

        public Cycle {
            bytes = List.copyOf(bytes);
            if (bytes.isEmpty()) {
                throw new UsageException("A list of sizes needs at least one, like list:100,1KiB.");
            }
        }
    }

    /** Every size from smallest to largest equally often. */
    record Uniform(int smallest, int largest) implements Sizes {

        public Uniform {
            if (smallest > largest) {
                throw new UsageException("Sizes from " + smallest + " to " + largest + " go backwards.");
            }
        }
    }

    /**
     * Sizes whose logarithm is normally distributed, which is what files and messages often look like.
     *
     * @param median half of the bodies are smaller
     * @param sigma standard deviation of the natural logarithm of the size
     * @param largest nothing larger is drawn
     */
    record LogNormal(int median, double sigma, int largest) implements Sizes {

        public LogNormal {
            if (median < 1 || !(sigma > 0) || sigma > 10 || largest < median) {
                throw new UsageException("Lognormal sizes need a median of at least 1, a sigma above 0 and at most 10, "
                    + "and a largest size that is not below the median.");
            }
        }
    }

    /** Sizes with their shares, as counted somewhere. */
    record Empirical(List<Weighted<Integer>> shares) implements Sizes {

        public Empirical {
            shares = List.copyOf(shares);
            if (shares.isEmpty()) {
                throw new UsageException("Empirical sizes need at least one, like empirical:100=70%,10KiB=30%.");
            }
        }
    }

    /** The smallest body that can come, in bytes. */
    default int smallest() {
        return switch (this) {
            case Fixed fixed -> fixed.bytes;
            case Cycle cycle -> cycle.bytes.stream().mapToInt(Integer::intValue).min().orElseThrow();
            case Uniform uniform -> uniform.smallest;
            case LogNormal ignored -> 1;
            case Empirical empirical -> empirical.shares.stream().mapToInt(Weighted::value).min().orElseThrow();
        };
    }

    /** The largest body that can come, in bytes. */
    default int largest() {
        return switch (this) {
            case Fixed fixed -> fixed.bytes;
            case Cycle cycle -> cycle.bytes.stream().mapToInt(Integer::intValue).max().orElseThrow();
            case Uniform uniform -> uniform.largest;
            case LogNormal logNormal -> logNormal.largest;
            case Empirical empirical -> empirical.shares.stream().mapToInt(Weighted::value).max().orElseThrow();
        };
    }
}
