package io.brokermeter.trials.agents;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.reports.RecordJson;
import org.jspecify.annotations.Nullable;

/**
 * What coordinator and agents say to each other, each message one JSON object. Between two of them messages arrive in their order. A worker's lines pass
 * as they are in {@link Tell} and {@link Said}. Whatever belongs to a run has its name, so that nothing of one reaches another.
 */
sealed interface Message {

    // ---- to an agent ----

    /**
     * Asks who it is.
     *
     * @param nonce a random text, for its {@link AgentToken}
     */
    record Who(String nonce) implements Message {}

    /**
     * Asks it to run a share.
     *
     * @param run name of the run, which no other one of this coordinator has
     * @param version of the tool that asks; another one is refused
     * @param order for the worker, with broker passwords: it goes to the worker's standard input, and nowhere else
     * @param clock where the coordinator's clock is found; null for one that reads the same
     * @param token what an agent was given that the coordinator started, empty for others
     */
    record Order(String run, String version, WorkerShare order, @Nullable ClockAccess clock, String token) implements Message {

        @Override
        public String toString() {
            return "Order[" + run + "]";
        }
    }

    /** A line for the worker. */
    record Tell(String run, String line) implements Message {}

    /** Ends a run at once; nothing of it is wanted any more. */
    record Cancel(String run) implements Message {}

    /** Its files have arrived; the agent deletes them. */
    record Home(String run) implements Message {}

    // ---- to the coordinator ----

    /**
     * Who an agent is.
     *
     * @param version of its tool
     * @param machine identifies the machine: two processes with the same one read the same clock; empty when that is not known
     * @param processors logical processors that it may use
     * @param busy name of what it runs, empty when it waits
     * @param proof that the coordinator started it, {@link AgentToken}; empty for others
     */
    record Hello(String name, String version, Map<String, String> labels, String machine, int processors, String busy,
            String proof) implements Message {

        /** What it is made of by name; what is not set is empty. */
        static final class Values {

            String name = "";
            String version = "";
            Map<String, String> labels = Map.of();
            String machine = "";
            int processors;
            String busy = "";
            String proof = "";

            private Values() {}
        }

        /** Of what {@code change} sets. */
        static Hello of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return new Hello(its.name, its.version, its.labels, its.machine, its.processors, its.busy, its.proof);
        }
    }

    /** It runs what was asked for. */
    record Accepted(String run) implements Message {}

    /** It does not run what was asked for. */
    record Refused(String run, String reason) implements Message {}

    /** A line of the worker. */
    record Said(String run, String line) implements Message {}

    /**
     * Its worker has ended.
     *
     * @param failure why without a result, in one sentence; null when its files have one
     * @param log last lines of its standard error
     */
    record Ended(String run, @Nullable String failure, List<String> log) implements Message {}

    /**
     * A piece of a file of the run.
     *
     * @param name of the file, see {@link FileTransfer#isName}
     * @param offset of its first byte
     * @param data in base64
     */
    record Piece(String run, String name, long offset, String data) implements Message {}

    /** All pieces were sent: files with their lengths. */
    record AllSent(String run, Map<String, Long> files) implements Message {}

    /**
     * What the agent knows of its clock.
     *
     * @param offset its clock minus the coordinator's, nanoseconds
     * @param bound the most that this is wrong, and was since the worker began; infinite when it stepped
     * @param sentence what happened to it, null for nothing
     */
    record Clock(String run, double offset, double bound, @Nullable String sentence) implements Message {}

    /** The agent is about to end, because its user wants so. */
    record Leaving(String run) implements Message {}

    /** One of them as a component, with the name of its kind. */
    record Letter(Message message) {}

    /** As text. */
    default String text() {
        return RecordJson.text(new Letter(this));
    }

    /** @throws IllegalArgumentException when it is none; what it says is not for the user, since it may have parts of the text */
    static Message read(String text) {
        return RecordJson.read(Letter.class, text).message();
    }
}
