/**
 * A broker in the memory of this process, with knobs for whatever a broker can do wrong. It exists to prove the
 * instrument: what the settings put in must come out of the measurement.
 */
@NullMarked
package io.brokermeter.driver.loopback;

import org.jspecify.annotations.NullMarked;
