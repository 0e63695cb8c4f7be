package io.brokermeter.engine.recording.lane;

/** A count by phases, as {@link Counter}: one thread adds to it, and other threads read. Not for concurrent writers. */
public final class PhaseCounter {

    private final Counter[] phases;

    PhaseCounter(int phases) {
        this.phases = new Counter[phases];
        for (int i = 0; i < phases; i++) {
            this.phases[i] = new Counter();
        }
    }

    /** Adds one to the count of a phase. For the one writing thread. */
    public void increment(int phase) {
        phases[phase].increment();
    }

    /** Adds {@code n} to the count of a phase. For the one writing thread. */
    public void add(int phase, long n) {
        phases[phase].add(n);
    }

    /** Returns the count of a phase so far. */
    public long in(int phase) {
        return phases[phase].get();
    }

    /** Returns the sum of all phases so far. */
    public long get() {
        long sum = 0;
        for (Counter phase : phases) {
            sum += phase.get();
        }
        return sum;
    }
}
