/** A scenario and its files, made fit for another machine. */
@NullMarked
package io.brokermeter.experiment.portable;

import org.jspecify.annotations.NullMarked;
