package io.brokermeter.reports.table;

/**
 * A figure of a published document.
 *
 * @param text text as it was written
 * @param value value that a measured figure is compared with, in the column's unit; the middle of a range
 */
public record PublishedFigure(String text, double value) {}
