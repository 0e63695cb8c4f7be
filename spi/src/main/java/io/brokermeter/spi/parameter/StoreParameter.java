package io.brokermeter.spi.parameter;

import java.util.Set;
import java.util.stream.Stream;

/**
 * A parameter that names a file with certificates or keys, which is read for TLS and for nothing else. Immutable.
 *
 * @param name the parameter whose value is the path of the file
 * @param beside names of parameters that say how the file is read, such as its password and its format, or that hold the certificates
 *     themselves in place of the file; the value of none of them is a file, or a class to load
 */
public record StoreParameter(String name, Set<String> beside) {

    public StoreParameter {
        beside = Set.copyOf(beside);
    }

    /** Returns the names of all these parameters: {@code name} and {@code beside}. */
    public Stream<String> names() {
        return Stream.concat(Stream.of(name), beside.stream());
    }
}
