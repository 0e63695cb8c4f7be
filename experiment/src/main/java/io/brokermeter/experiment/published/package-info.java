/** Published figures that a scenario is compared with. */
@NullMarked
package io.brokermeter.experiment.published;

import org.jspecify.annotations.NullMarked;
