package io.brokermeter.cluster;

/**
 * Somebody who is not let in, or does not let us in. Each is said once.
 *
 * @param reason what is the matter, for programs
 * @param who the name of the agent or coordinator, or the address of a stranger
 * @param sentence what is the matter, for people
 */
public record PeerRefusal(Reason reason, String who, String sentence) {

    /** The kinds of refusals. */
    public enum Reason {
        /** The other one is another version of the tool. */
        VERSION,
        /** The agent works for another coordinator. */
        TAKEN,
        /** Somebody came to the port without the credential of the cluster. */
        STRANGER,
        /** A message was longer than {@link Cluster#LONGEST_MESSAGE}, or no text, and was not handed on. */
        MESSAGE
    }
}
