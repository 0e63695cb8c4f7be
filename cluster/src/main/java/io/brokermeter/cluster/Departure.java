package io.brokermeter.cluster;

/** The reason why a member is gone. */
public enum Departure {
    /** The member said goodbye. */
    LEFT,
    /** The connection ended without a goodbye: the process is dead, or the connection was reset. */
    KILLED,
    /** Nothing was received from the member for some seconds: its process is frozen, or the network in between is cut. */
    SILENT
}
