package io.brokermeter.engine.recording;

import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.MeanRate;
import io.brokermeter.engine.scenario.measure.Measure;
import io.brokermeter.engine.scenario.measure.Quantity;
import org.jspecify.annotations.Nullable;

/** Looks up figures of a run, each in the unit of its {@link Quantity}, NaN if unknown. Counts are exact up to 2^53. */
public final class Measurements {

    private Measurements() {}

    /** Returns a figure of a whole run. */
    public static double of(Quantity quantity, RunResult r) {
        return switch (quantity) {
            case Count count -> !count.isOfLedger() ? r.count(count) : r.ledger() == null ? Double.NaN : r.ledger().counts().get(count);
            case MeanRate rate -> r.part().mean(rate.count());
            case Measure measure -> of(measure, r);
        };
    }

    private static double of(Measure measure, RunResult r) {
        return switch (measure) {
            case MEASURED_SENT -> r.part().sent();
            case MEASURED_RECEIVED -> r.part().received();
            case OVERDUE_SENT -> r.part().overdueSent();
            case OVERDUE_RECEIVED -> r.part().overdueReceived();
            case ELAPSED -> r.elapsed().toNanos() / 1e9;
            case SENDING_SECONDS -> r.sending().toNanos() / 1e9;
            case RECEIVING_SECONDS -> r.receivingSeconds();
            case MEASURED_SECONDS -> r.part().seconds();
            case MEASURED_RECEIVING_SECONDS -> r.part().receivingSeconds();
            case SENT_PER_SECOND -> perSecond(r, r.sent());
            case COMPLETED_PER_SECOND -> perSecond(r, r.completed());
            case RECEIVED_PER_SECOND -> r.receivedPerSecond();
            case SUCCESS_PERCENT -> r.successRatio() * 100;
            case RATE_KEPT -> r.health().achievedRatio() * 100;
            case DOUBTS -> r.health().verdict().reasons().size();
            case CPU_PER_MESSAGE -> known(r.health().cpuMicrosPerMessage());
            case BROKER_CPU_PER_MESSAGE -> r.brokerCpuMicrosPerMessage();
            case BROKER_CPU, BROKER_CPU_MAX, BROKER_MEMORY, BROKER_MEMORY_MAX, BROKER_HEAP_MAX, BROKER_GC, BROKER_DEPTH_MAX ->
                r.broker() == null ? Double.NaN : broker(measure, r.broker());
        };
    }

    private static double broker(Measure quantity, BrokerFigures f) {
        return switch (quantity) {
            case BROKER_CPU -> f.cpuPercent();
            case BROKER_CPU_MAX -> f.cpuPercentMax();
            case BROKER_MEMORY -> known(f.residentBytes());
            case BROKER_MEMORY_MAX -> known(f.residentBytesMax());
            case BROKER_HEAP_MAX -> known(f.heapUsedBytesMax());
            case BROKER_GC -> known(f.gcMillis()) / 1e3;
            case BROKER_DEPTH_MAX -> known(f.depthMax());
            default -> throw new IllegalArgumentException(quantity.toString());
        };
    }

    /** Returns a figure of a phase; NaN for a figure that only a whole run has, and for a phase that was not reached. */
    static double of(Quantity quantity, PhaseResult phase) {
        if (phase.seconds() <= 0) {
            return Double.NaN;
        }
        return switch (quantity) {
            case Count count when count.isOfPhases() -> known(phase.count(count));
            case MeanRate rate -> phase.mean(rate.count());
            case Measure measure when measure == Measure.ELAPSED -> phase.seconds();
            default -> Double.NaN;
        };
    }

    private static double known(long count) {
        return count < 0 ? Double.NaN : count;
    }

    /** Returns a part of a distribution, in microseconds; NaN if there are too few samples for it. */
    public static double of(Threshold.Time time, @Nullable Distribution d) {
        if (d == null || d.count() == 0) {
            return Double.NaN;
        }
        if (Double.isNaN(time.percentile())) {
            return d.meanNanos() / 1e3;
        }
        if (time.percentile() == 100) {
            return d.maxNanos() / 1e3;
        }
        return d.supports(time.percentile()) ? d.nanosAt(time.percentile()) / 1e3 : Double.NaN;
    }

    private static double perSecond(RunResult r, long messages) {
        return r.sending().toNanos() > 0 ? messages / (r.sending().toNanos() / 1e9) : Double.NaN;
    }

    /** Returns NaN for a figure that is -1 because it could not be determined, and any other figure as it is. */
    private static double known(double value) {
        return value < 0 ? Double.NaN : value;
    }
}
