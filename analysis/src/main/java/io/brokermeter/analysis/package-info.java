/** The joint analysis of several runs, from their files alone: whether they differ, and since when. */
@NullMarked
package io.brokermeter.analysis;

import org.jspecify.annotations.NullMarked;
