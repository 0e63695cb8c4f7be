package io.brokermeter.engine.recording;

/**
 * A warm-up that lasted until the run had settled.
 *
 * @param seconds its length
 * @param steadyFromSeconds begin of the steady part, from the start of the load; NaN if the run had not settled when the warm-up ended, or
 *     had too few samples to tell
 * @param settled whether the run had settled; false, too, if it is not known
 * @param known whether there were enough samples to tell
 */
public record WarmUp(double seconds, double steadyFromSeconds, boolean settled, boolean known) {}
