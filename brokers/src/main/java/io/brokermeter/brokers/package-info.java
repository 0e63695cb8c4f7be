/**
 * Throwaway brokers: child processes with a class path, a directory and a free port of their own, which are gone with
 * the tool even when it is killed. One small class for each kind of broker; nothing here knows a protocol or a schedule.
 */
@NullMarked
package io.brokermeter.brokers;

import org.jspecify.annotations.NullMarked;
