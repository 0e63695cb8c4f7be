package io.brokermeter.cluster;

/** Why a member is gone. */
public enum Departure {
    /** It said that it goes. */
    LEFT,
    /** Its connection ended without a word: the process is dead, or the connection was reset. */
    KILLED,
    /** Nothing came from it for some seconds: it stands still, or the network between is cut. */
    SILENT
}
