package io.brokermeter.experiment;

import org.jspecify.annotations.Nullable;

/**
 * Where an experiment was published.
 *
 * @param document its name
 * @param table the table or section in it, or null
 * @param machine what the published figures were measured on, or null
 * @param url where it can be read, or null
 */
public record Publication(String document, @Nullable String table, @Nullable String machine, @Nullable String url) {}
