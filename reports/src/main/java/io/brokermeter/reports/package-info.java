/** The reports of a run to its user, on the console and in files, made from the run's intervals, events and result alone. */
@NullMarked
package io.brokermeter.reports;

import org.jspecify.annotations.NullMarked;
