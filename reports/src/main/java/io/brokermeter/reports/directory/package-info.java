/** The directory of a run: its files, its lock, its inputs and the machine it ran on. */
@NullMarked
package io.brokermeter.reports.directory;

import org.jspecify.annotations.NullMarked;
