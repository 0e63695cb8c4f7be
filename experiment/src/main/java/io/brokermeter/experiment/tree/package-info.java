/** A scenario file as a tree whose nodes know their line. */
@NullMarked
package io.brokermeter.experiment.tree;

import org.jspecify.annotations.NullMarked;
