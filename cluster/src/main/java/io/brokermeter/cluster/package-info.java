/**
 * Membership and messages among the machines that make one measurement: the members of a cluster, authenticated messages between them, and,
 * in {@code clock}, the differences of their clocks. This package knows nothing of runs: a message is a text that its user writes and
 * reads. It alone uses JGroups.
 */
@NullMarked
package io.brokermeter.cluster;

import org.jspecify.annotations.NullMarked;
