package io.brokermeter.reports.document;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import org.jspecify.annotations.Nullable;

/**
 * A file that a run read, as its environment keeps it.
 *
 * @param copy path of the copy, relative to the directory of the run; null if there is none
 * @param reason why there is no copy
 */
public record KeptInput(String path, @IfKnown @Nullable String sha256, @IfKnown @Nullable Long bytes, @Nullable String copy,
        @IfKnown @Nullable String reason) {}
