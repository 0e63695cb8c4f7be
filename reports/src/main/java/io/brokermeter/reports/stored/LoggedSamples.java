package io.brokermeter.reports.stored;

import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;

/**
 * The samples of one time in one interval, as {@code latency.hlog} contains them.
 *
 * @param startSeconds beginning of the interval since the start of the load, in seconds
 * @param seconds length of the interval in seconds
 * @param warmup whether the messages were due in the warm-up
 * @param micros the samples, in microseconds; belongs to the receiver
 */
public record LoggedSamples(double startSeconds, double seconds, Metric metric, boolean warmup, Histogram micros) {}
