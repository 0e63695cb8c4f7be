/** What limits a producer or a consumer over distance: the settings that govern windows, what trials tell of them, and how that is said. */
@NullMarked
package io.brokermeter.analysis.window;

import org.jspecify.annotations.NullMarked;
