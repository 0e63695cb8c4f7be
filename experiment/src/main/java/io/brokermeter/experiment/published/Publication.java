package io.brokermeter.experiment.published;

import org.jspecify.annotations.Nullable;

/**
 * The document in which an experiment was published.
 *
 * @param document name of the document
 * @param table table or section in it, or null
 * @param machine machine on which the published figures were measured, or null
 * @param url URL of the document, or null
 */
public record Publication(String document, @Nullable String table, @Nullable String machine, @Nullable String url) {}
