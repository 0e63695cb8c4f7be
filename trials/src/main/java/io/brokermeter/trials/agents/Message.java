package io.brokermeter.trials.agents;

import java.util.List;
import java.util.Map;

import io.brokermeter.reports.json.RecordJson;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;

/**
 * The messages between coordinator and agents, each one JSON object. Messages between two of them arrive in order. A worker's lines are
 * passed on unchanged in {@link Tell} and {@link Said}. Every message about a run has its name, so that nothing of one run reaches another.
 */
sealed interface Message {

    // ---- to an agent ----

    /**
     * Asks an agent who it is.
     *
     * @param nonce a random text, for its {@link AgentToken}
     */
    record Who(String nonce) implements Message {}

    /**
     * Asks an agent to run a share.
     *
     * @param run name of the run, which no other one of this coordinator has
     * @param version the version of the tool that asks; another one is refused
     * @param order the order for the worker, with broker passwords: it goes to the worker's standard input, and nowhere else
     * @param clock address of the coordinator's clock; null for an agent that reads the same clock
     * @param token the token of an agent that the coordinator started, empty for others
     */
    record Order(String run, String version, WorkerOrder order, @Nullable ClockAccess clock, String token) implements Message {

        @Override
        public String toString() {
            return "Order[" + run + "]";
        }
    }

    /** Passes a line to the worker. */
    record Tell(String run, String line) implements Message {}

    /** Ends a run at once, and discards it. */
    record Cancel(String run) implements Message {}

    /** Tells an agent that its files have arrived, and that it may delete them. */
    record FilesReceived(String run) implements Message {}

    /** Tells an agent that a run is over in which it had no share. */
    record Unneeded(String run) implements Message {}

    // ---- to the coordinator ----

    /**
     * The identity of an agent.
     *
     * @param version the version of its tool
     * @param machine id of the machine: two processes with the same id read the same clock; empty when it is not known
     * @param processors number of logical processors that it may use
     * @param busy name of its current run, empty when it waits
     * @param proof proof that the coordinator started it, {@link AgentToken}; empty for others
     */
    record Hello(String name, String version, Map<String, String> labels, String machine, int processors, String busy,
            String proof) implements Message {

    }

    /** Accepts an order. */
    record Accepted(String run) implements Message {}

    /** Refuses an order. */
    record Refused(String run, String reason) implements Message {}

    /** Passes on a line of the worker. */
    record Said(String run, String line) implements Message {}

    /**
     * Reports that the worker has ended.
     *
     * @param failure the reason why it has no result, in one sentence; null when its files have one
     * @param log last lines of its standard error
     */
    record Ended(String run, @Nullable String failure, List<String> log) implements Message {}

    /**
     * Transfers a piece of a file of the run.
     *
     * @param name name of the file, see {@link FileTransfer#isName}
     * @param offset offset of its first byte in the file
     * @param data the bytes, in base64
     */
    record Piece(String run, String name, long offset, String data) implements Message {}

    /** Reports that all pieces were sent, with the names and lengths of the files. */
    record AllSent(String run, Map<String, Long> files) implements Message {}

    /**
     * Reports the agent's estimate of its clock.
     *
     * @param offset its clock minus the coordinator's, nanoseconds
     * @param bound the greatest error of the agent's time since the load or the worker began, nanoseconds; infinite when a clock stepped
     * @param sentence what happened to the clock, null for nothing
     */
    record Clock(String run, double offset, double bound, @Nullable String sentence) implements Message {}

    /** Reports that the agent is about to end, because its user wants so. */
    record Leaving(String run) implements Message {}

    /** Returns the message as text. */
    default String text() {
        return RecordJson.text(Message.class, this);
    }

    /**
     * Parses a message.
     *
     * @throws IllegalArgumentException when the text is no message; what the exception says is not for the user, since it may have parts of
     *     the text
     */
    static Message read(String text) {
        return RecordJson.read(Message.class, text);
    }
}
