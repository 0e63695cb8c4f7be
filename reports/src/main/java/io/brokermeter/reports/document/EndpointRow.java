package io.brokermeter.reports.document;

/**
 * A line of {@code endpoints.csv}: a producer or a consumer.
 *
 * @param kind {@code producer} or {@code consumer}
 * @param number its number in its group, from 1
 * @param messages what it sent or received, warm-up included; NaN for one on an agent that was lost
 */
public record EndpointRow(String kind, String group, long number, String destination, double messages) {}
