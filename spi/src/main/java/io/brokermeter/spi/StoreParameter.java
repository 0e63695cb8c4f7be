package io.brokermeter.spi;

import java.util.Set;
import java.util.stream.Stream;

/**
 * A parameter that names a file with certificates or keys, which is read to speak TLS and for nothing else.
 *
 * @param name the parameter whose value is the path of the file
 * @param beside names of parameters that say how the file is read, as its password and its form do, or that have the certificates themselves in its
 *     place; the value of none of them is a file, or a class to load
 */
public record StoreParameter(String name, Set<String> beside) {

    public StoreParameter {
        beside = Set.copyOf(beside);
    }

    /** Its name, and those beside it. */
    public Stream<String> names() {
        return Stream.concat(Stream.of(name), beside.stream());
    }
}
