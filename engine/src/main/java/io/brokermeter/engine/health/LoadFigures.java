package io.brokermeter.engine.health;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What the load came to, as far as the generator is judged by it.
 *
 * @param messages messages of the measured part, for the CPU time of each
 * @param schedule how the asked rate was kept
 * @param windowShare the part of the sending threads' time, 0 to 1, in which they owed messages and all windows in question were full
 * @param restShare the same where a think time, or the pause after a failed send, was in the way
 * @param lateness how late sending threads woke for a moment they slept for, nanoseconds
 * @param sendDelay actual minus intended sends, nanoseconds; empty without a schedule
 * @param response the response times (send ack times where none were taken) that readers will believe, nanoseconds
 * @param coldResponse those of them that belong to the first seconds of a run without a warm-up; null when there was one, or
 *     nothing but the first seconds
 * @param most messages that can be in flight, where nothing is scheduled; 0 with a schedule
 * @param brokerCpuSeconds CPU time of the broker on this machine in the measured part; NaN when unknown
 * @param spins whether sending threads spin while they wait
 * @param slackRefused why the kernel's timer slack could not be lowered for sending threads; empty when it was
 */
public record LoadFigures(
        long messages, Schedule schedule, double windowShare, double restShare, Histogram lateness, Histogram sendDelay,
        Histogram response, @Nullable Histogram coldResponse, long most, double brokerCpuSeconds, boolean spins,
        String slackRefused) {}
