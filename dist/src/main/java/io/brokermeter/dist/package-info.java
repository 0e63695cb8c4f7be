/** Actions of the distribution that run once where it is installed, before the first run. */
@NullMarked
package io.brokermeter.dist;

import org.jspecify.annotations.NullMarked;
