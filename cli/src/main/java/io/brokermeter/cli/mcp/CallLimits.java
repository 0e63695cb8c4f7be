package io.brokermeter.cli.mcp;

import java.time.Duration;

/**
 * What calls may use.
 *
 * @param call the longest time that one call may measure
 * @param total the longest time that all calls together may measure
 * @param messages the most messages that one trial may send
 */
record CallLimits(Duration call, Duration total, long messages) {}
