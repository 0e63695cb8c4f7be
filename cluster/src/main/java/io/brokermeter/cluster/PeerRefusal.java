package io.brokermeter.cluster;

/**
 * A process that is not admitted, or does not admit this one, or a message that is not accepted. Each is reported once.
 *
 * @param reason the kind of the refusal, for programs
 * @param who the name of the agent or coordinator, or the address of a stranger
 * @param sentence the explanation, for people
 */
public record PeerRefusal(Reason reason, String who, String sentence) {

    /** The kinds of refusals. */
    public enum Reason {
        /** The other process is of another version of the tool. */
        VERSION,
        /** The agent works for another coordinator. */
        TAKEN,
        /** A process connected to the port without the credential of the cluster. */
        STRANGER,
        /** A message was longer than {@link Cluster#LONGEST_MESSAGE}, malformed or no text, and was not handed on. */
        MESSAGE
    }
}
