package io.brokermeter.cli.prepare;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;

/**
 * Brings the classes of a jar to a version of the class file that the JVM's cache takes: it takes none before Java 6, which have no stack
 * maps. Picocli's are such, so each start would read and verify them anew, and make the code of all lambdas that mention them.
 */
final class NewerClasses {

    /** Java 8, the first version in which all that older ones may do is allowed and verified by stack maps. */
    private static final int VERSION = 52;
    private static final Pattern CLASS = Pattern.compile("(?!META-INF/|module-info).*\\.class");

    private NewerClasses() {}

    /**
     * Writes a jar with the classes of another one. It gets the time of that one: the JVM refuses a cache for jars of another time than
     * when it was made, and packages set the times of what was installed.
     */
    static void write(Path from, Path to) throws IOException {
        ClassFile format = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS, ClassFile.ClassHierarchyResolverOption
            .of(ClassHierarchyResolver.ofResourceParsing(NewerClasses.class.getClassLoader())
                .orElse(ClassHierarchyResolver.defaultResolver())));
        try (JarFile old = new JarFile(from.toFile()); OutputStream file = Files.newOutputStream(to);
                JarOutputStream made = new JarOutputStream(file)) {
            for (JarEntry entry : Collections.list(old.entries())) {
                if (CLASS.matcher(entry.getName()).matches()) {
                    made.putNextEntry(new JarEntry(entry.getName()));
                    made.write(newer(format, old.getInputStream(entry).readAllBytes()));
                }
            }
        }
        Files.setLastModifiedTime(to, Files.getLastModifiedTime(from));
    }

    private static byte[] newer(ClassFile format, byte[] bytes) throws IOException {
        ClassModel model = format.parse(bytes);
        if (model.majorVersion() >= VERSION) {
            return bytes;
        }
        byte[] made = format.transformClass(model, ClassTransform.transformingMethodBodies((code, element) -> code.with(element))
            .andThen(ClassTransform.endHandler(all -> all.withVersion(VERSION, 0))));
        if (!format.verify(made).isEmpty()) {
            throw new IOException(model.thisClass().asInternalName() + ": " + format.verify(made).getFirst());
        }
        return made;
    }
}
