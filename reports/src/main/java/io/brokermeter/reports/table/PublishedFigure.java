package io.brokermeter.reports.table;

/**
 * A figure as a document has it.
 *
 * @param text as it was written
 * @param value what a measured figure is compared with, in the column's unit; the middle of a range
 */
public record PublishedFigure(String text, double value) {}
