package io.brokermeter.engine.scenario.measure;

/** The mean rate of a count after the warm-up, or in a phase: a figure that each count of phases has. */
public record MeanRate(Count count) implements Quantity {

    @Override
    public Row row() {
        return new Row(count.key() + ".rate", count.unit() == Unit.BYTES ? Unit.BYTES_PER_SECOND : Unit.PER_SECOND, count.needs(),
            Live.VARIES,
            count.noun() + " a second after the warm-up.");
    }

    @Override
    public boolean isOfPhases() {
        return true;
    }

    /** Returns the name of the rate on the console. */
    public String label() {
        return "mean " + count.words();
    }

    /** Returns the key of the rate in the summary of {@code --json}. */
    public String summaryKey() {
        return "mean" + capital() + "PerSecond";
    }

    /** Returns the path of the rate in {@code result.json}, with dots. */
    public String path() {
        return "rates.measured" + capital() + "PerSecond";
    }

    private String capital() {
        return Character.toUpperCase(count.key().charAt(0)) + count.key().substring(1);
    }
}
