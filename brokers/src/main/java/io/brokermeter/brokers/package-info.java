/**
 * Throwaway brokers: child processes with a class path, a directory and a free port of their own, which end with the tool even when it is
 * killed. There is one small class for each kind of broker; nothing in this package depends on a protocol or a schedule.
 */
@NullMarked
package io.brokermeter.brokers;

import org.jspecify.annotations.NullMarked;
