package io.brokermeter.engine.health;

/**
 * The generator's own figures over the measured part of a run.
 *
 * @param cpuSeconds CPU time of this process
 * @param cpuMicrosPerMessage CPU time per message sent (received, for a run without producers)
 * @param machineBusyPercent busy share of all CPUs of the machine, -1 when unknown
 * @param stealPercent share of time that a hypervisor took away, -1 when unknown
 * @param gcPauses number of garbage collection pauses
 * @param gcPauseMillis their total length
 * @param gcLongestPauseMillis the longest
 * @param hiccup999Millis 99.9th percentile of the delay of a thread that sleeps 1 ms
 * @param hiccupMaxMillis its maximum
 * @param lateness99Millis 99th percentile of how late sending threads woke up, not counting waits for confirmations
 * @param achievedRatio sent against scheduled messages; 1 when nothing is scheduled
 * @param residentBytes peak resident memory, -1 when unknown
 * @param verdict the judgement
 */
public record Health(
        double cpuSeconds, double cpuMicrosPerMessage, double machineBusyPercent, double stealPercent, long gcPauses,
        long gcPauseMillis, long gcLongestPauseMillis, double hiccup999Millis, double hiccupMaxMillis,
        double lateness99Millis, double achievedRatio, long residentBytes, Verdict verdict) {}
