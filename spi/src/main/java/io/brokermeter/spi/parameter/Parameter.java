package io.brokermeter.spi.parameter;

/**
 * A parameter that a driver understands in the URL or as a property of the connection.
 *
 * @param name name of the parameter; words in lower case with hyphens between them
 * @param value form of the values, for a help text: {@code true|false}, {@code N}, {@code NAME}
 * @param defaultValue the value when the parameter is not given, in the same form; empty for none
 * @param description effect of the parameter, one sentence
 */
public record Parameter(String name, String value, String defaultValue, String description) {}
