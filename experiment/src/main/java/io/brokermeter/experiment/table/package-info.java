/** The table of keys and options, their syntax, and the errors of values. */
@NullMarked
package io.brokermeter.experiment.table;

import org.jspecify.annotations.NullMarked;
