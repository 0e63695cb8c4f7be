/** Formats stored runs and sweeps as text, and as files for people and for programs. */
@NullMarked
package io.brokermeter.reports.formats;

import org.jspecify.annotations.NullMarked;
