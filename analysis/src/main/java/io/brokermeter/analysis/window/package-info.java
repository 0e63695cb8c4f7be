/** The limits of producers and consumers over distance: the settings that govern windows, the findings of trials, and their formatting. */
@NullMarked
package io.brokermeter.analysis.window;

import org.jspecify.annotations.NullMarked;
