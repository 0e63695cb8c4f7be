/** The files of runs as records: what {@code result.json}, {@code intervals.jsonl} and {@code events.jsonl} contain. */
@NullMarked
package io.brokermeter.reports.document;

import org.jspecify.annotations.NullMarked;
