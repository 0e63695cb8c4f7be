package io.brokermeter.reports.stored;

import io.brokermeter.engine.recording.Metric;
import org.HdrHistogram.Histogram;

/**
 * The samples of one time in one interval, as {@code latency.hlog} has them.
 *
 * @param startSeconds begin of the interval since the start of the load
 * @param seconds length of the interval
 * @param warmup whether the messages were due in the warm-up
 * @param micros the samples, in microseconds; belongs to the receiver
 */
public record LoggedSamples(double startSeconds, double seconds, Metric metric, boolean warmup, Histogram micros) {}
