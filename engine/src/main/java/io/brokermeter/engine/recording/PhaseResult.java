package io.brokermeter.engine.recording;

import java.util.Map;

/**
 * What a phase of a run came to: everything about the messages that were due in it.
 *
 * @param name its name
 * @param seconds its length
 * @param sent its messages that were sent
 * @param received its messages that were delivered
 * @param measured its distributions
 */
public record PhaseResult(String name, double seconds, long sent, long received, Map<Metric, Distribution> measured) {}
