/**
 * Many machines that make one measurement: who is there, authenticated messages between them, and, in {@code clock}, how far apart their
 * clocks are. This package knows nothing of runs: a message is a text which its user makes and reads. It alone uses JGroups.
 */
@NullMarked
package io.brokermeter.cluster;

import org.jspecify.annotations.NullMarked;
