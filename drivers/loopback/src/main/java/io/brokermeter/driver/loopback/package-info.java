/**
 * A broker in the memory of this process, with parameters for whatever a broker can do wrong. It exists to verify the measuring instrument:
 * what the settings inject must appear in the measurement.
 */
@NullMarked
package io.brokermeter.driver.loopback;

import org.jspecify.annotations.NullMarked;
