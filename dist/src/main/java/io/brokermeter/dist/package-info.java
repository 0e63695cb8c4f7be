/** What the distribution does once where it is installed, before the first run. */
@NullMarked
package io.brokermeter.dist;

import org.jspecify.annotations.NullMarked;
