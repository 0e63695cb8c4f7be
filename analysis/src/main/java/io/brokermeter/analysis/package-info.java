/** What several runs tell together: whether they differ, and since when. From the files of runs alone. */
@NullMarked
package io.brokermeter.analysis;

import org.jspecify.annotations.NullMarked;
