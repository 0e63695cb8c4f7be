/** Parameters and settings of a driver, their values, URLs and secrets. */
@NullMarked
package io.brokermeter.spi.parameter;

import org.jspecify.annotations.NullMarked;
