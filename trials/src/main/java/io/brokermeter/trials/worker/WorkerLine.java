package io.brokermeter.trials.worker;

import java.util.Map;
import java.util.Set;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.trials.faults.FaultRequests;

/** The lines that a worker writes, each one JSON object; other lines of its process are no concern of anybody. */
public sealed interface WorkerLine {

    /** Shows that the process is not stuck. */
    record Alive() implements WorkerLine {}

    /** Reports why the worker has no result, in one sentence. */
    record Failed(String sentence) implements WorkerLine {}

    /** Reports that the run is over, with its exit status. */
    record Finished(int status) implements WorkerLine {}

    /** Reports an interval. */
    record Progress(Interval interval) implements WorkerLine {}

    /** Reports an event. */
    record Happened(Event event) implements WorkerLine {}

    /** Asks for a fault. */
    record Asked(FaultRequests.Request fault) implements WorkerLine {}

    // ---- what shares of a run tell each other, see RunCoordination ----

    /** Reports that a step was reached. */
    record Reached(RunCoordination.Step step) implements WorkerLine {}

    /** Reports the destinations that a worker declared, and those among them that it created, by their numbers. */
    record Declared(Set<Integer> all, Set<Integer> made) implements WorkerLine {}

    /** Reports when the first consumer opened, in nanoseconds of the run's clock. */
    record Opened(long at) implements WorkerLine {}

    /** Reports that the worker leaves what is common to the others. */
    record Leaves() implements WorkerLine {}

    /** Reports the numbers of messages taken by groups that may take only a limited number, by number of the group. */
    record Took(Map<Integer, Long> byGroup) implements WorkerLine {}

    /** Reports what deliveries the worker still expects. */
    record Owes(RunCoordination.Balance balance) implements WorkerLine {}

    /** Returns the object as text. */
    default String text() {
        return RecordJson.text(WorkerLine.class, this);
    }

    /** Returns whether a line is of a kind, without reading all of it. */
    static boolean is(Class<? extends WorkerLine> kind, String line) {
        return line.startsWith("{\"@type\":\"" + kind.getSimpleName() + "\"");
    }

    /**
     * Reads a line.
     *
     * @throws IllegalArgumentException when it is none of a worker of this version
     */
    static WorkerLine read(String line) {
        return RecordJson.read(WorkerLine.class, line);
    }
}
