package io.brokermeter.analysis.window;

/**
 * What a trial over a distance is.
 *
 * @param roundTrip the round trip that is added, in seconds
 * @param size of a message's body in bytes
 * @param most the messages a second that are asked for
 * @param warmup how long it is warmed up, in seconds
 * @param seconds for how long it measures
 */
public record FarTrial(double roundTrip, double size, double most, double warmup, double seconds) {}
