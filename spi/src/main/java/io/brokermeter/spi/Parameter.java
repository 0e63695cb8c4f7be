package io.brokermeter.spi;

/**
 * A parameter that a driver understands in the URL or as a property of the connection.
 *
 * @param name its name; words of lower case with hyphens between them
 * @param value what its values look like, for a help text: {@code true|false}, {@code N}, {@code NAME}
 * @param defaultValue the value that it has when it is not given, in the same form; empty for none
 * @param description what it does, one sentence
 */
public record Parameter(String name, String value, String defaultValue, String description) {}
