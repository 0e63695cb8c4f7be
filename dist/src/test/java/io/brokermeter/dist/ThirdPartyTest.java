package io.brokermeter.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import javax.xml.parsers.DocumentBuilderFactory;

import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.maven.artifact.versioning.DefaultArtifactVersion;
import org.apache.maven.artifact.versioning.InvalidVersionSpecificationException;
import org.apache.maven.artifact.versioning.VersionRange;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The libraries of others that the archive holds: THIRD-PARTY.md names each with its version and its licence, which stands in its POM, and
 * none has a hole that is known.
 */
class ThirdPartyTest {

    private static final Path ROOT = Path.of(System.getProperty("brokermeter.root"));
    private static final Path FILE = ROOT.resolve("THIRD-PARTY.md");
    private static final Path REPOSITORY = Path.of(System.getProperty("brokermeter.repository"));

    /** Licences by SPDX identifier, with the words that POMs have for them. */
    private static final Map<String, Pattern> LICENCES = Map.of(
        "Apache-2.0", words("(the )?(apache|al)( software)?[ -]*(license)?,?[ -]*(version )?2(\\.0)?"),
        "BSD-2-Clause", words("(the )?bsd[ -]2-clause( license)?"),
        "BSD-3-Clause", words("bsd[ -]3-clause"),
        "CC0-1.0", words("public domain, per creative commons cc0"),
        "EPL-1.0", words("eclipse public license - v 1\\.0"),
        "EPL-2.0", words("eclipse public license 2\\.0|epl[ -]2\\.0"),
        "GPL-2.0-only", words("gpl v2"),
        "GPL-2.0-only WITH Classpath-exception-2.0",
        words("gnu general public license, version 2 with the gnu classpath exception|gpl2 w/ cpe"),
        "MIT", words("(the )?mit( license)?"),
        "MPL-2.0", words("mpl 2\\.0"));

    private static Pattern words(String expression) {
        return Pattern.compile(expression, Pattern.CASE_INSENSITIVE);
    }

    /**
     * A jar of the archive.
     *
     * @param place its directory in the archive
     */
    private record Library(String place, String group, String artifact, String version, String classifier, String licence) {

        static Library read(String place, Path jar) throws Exception {
            Path version = jar.getParent();
            Path artifact = version.getParent();
            String group = REPOSITORY.relativize(artifact.getParent()).toString().replace('/', '.');
            String stem = artifact.getFileName() + "-" + version.getFileName();
            String rest = jar.getFileName().toString().substring(stem.length());
            return new Library(place, group, artifact.getFileName().toString(), version.getFileName().toString(),
                rest.substring(0, rest.length() - ".jar".length()).replaceFirst("-", ":"),
                licenceOf(version.resolve(stem + ".pom")));
        }

        private String row() {
            return "| %s | %s:%s%s | %s | %s |".formatted(place, group, artifact, classifier, version, licence);
        }
    }

    private static List<Library> libraries;

    @BeforeAll
    static void readTheArchive() throws Exception {
        Map<String, List<Path>> known;
        try (Stream<Path> files = Files.walk(REPOSITORY)) {
            known = files.filter(file -> file.toString().endsWith(".jar")).collect(Collectors.groupingBy(f -> f.getFileName().toString()));
        }
        libraries = new ArrayList<>();
        String home = System.getProperty("brokermeter.home");
        try (InputStream file = Files.newInputStream(Path.of(home + ".tar.gz"));
                TarArchiveInputStream archive = new TarArchiveInputStream(new GZIPInputStream(file))) {
            for (var entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                Path name = Path.of(entry.getName());
                String jar = name.getFileName().toString();
                if (jar.endsWith(".jar") && !jar.startsWith("brokermeter")) {
                    byte[] bytes = archive.readAllBytes();
                    Path origin = known.getOrDefault(jar, List.of()).stream().filter(candidate -> holds(candidate, bytes)).findFirst()
                        .orElseThrow(() -> new AssertionError(name + " is not from the local repository of Maven, " + REPOSITORY));
                    libraries.add(Library.read(name.subpath(1, name.getNameCount() - 1).toString(), origin));
                }
            }
        }
        libraries.sort((a, b) -> a.row().compareTo(b.row()));
    }

    private static boolean holds(Path file, byte[] bytes) {
        try {
            return Files.size(file) == bytes.length && Arrays.equals(Files.readAllBytes(file), bytes);
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the licences that a POM names, or the nearest of its parents that names one; empty for none. */
    private static String licenceOf(Path pom) throws Exception {
        Element project = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile()).getDocumentElement();
        String own = children(project, "licenses").flatMap(all -> children(all, "license")).flatMap(one -> children(one, "name"))
            .map(name -> spdx(name.getTextContent().strip())).distinct().collect(Collectors.joining(" OR "));
        Element parent = children(project, "parent").findFirst().orElse(null);
        if (!own.isEmpty() || parent == null) {
            return own;
        }
        Function<String, String> part = name -> children(parent, name).findFirst().orElseThrow().getTextContent().strip();
        String artifact = part.apply("artifactId");
        String version = part.apply("version");
        return licenceOf(REPOSITORY.resolve(part.apply("groupId").replace('.', '/')).resolve(artifact).resolve(version)
            .resolve(artifact + "-" + version + ".pom"));
    }

    private static Stream<Element> children(Node node, String name) {
        return Stream.iterate(node.getFirstChild(), child -> child != null, Node::getNextSibling)
            .filter(child -> child instanceof Element && child.getNodeName().equals(name)).map(Element.class::cast);
    }

    private static String spdx(String name) {
        return LICENCES.entrySet().stream().filter(licence -> licence.getValue().matcher(name).matches()).map(Map.Entry::getKey).findFirst()
            .orElseThrow(() -> new AssertionError("A POM names the licence '" + name
                + "', which this test does not know: may the archive hold what is under it? Then add it to LICENCES."));
    }

    @Test
    void eachHasALicence() {
        assertThat(libraries).as("the archive's libraries").hasSizeGreaterThan(100);
        assertThat(libraries).filteredOn(library -> library.licence().isEmpty()).as("libraries whose POM names no licence").isEmpty();
    }

    @Test
    void theFileNamesThemAll() throws IOException {
        String text =
            """
                # Third-party libraries

                What the archive holds of others, as released and unchanged, with its licence: `lib` is brokermeter's class path, `brokers/artemis` that
                of the broker which comes along. Each jar has its own notices inside. A test writes this page from the archive and from the POMs of the jars.

                | place | library | version | licence |
                |---|---|---|---|
                """
                + libraries.stream().map(Library::row).collect(Collectors.joining("\n", "", "\n"));
        if (Boolean.getBoolean("brokermeter.update")) {
            Files.writeString(FILE, text);
        }
        assertThat(Files.readString(FILE))
            .as(FILE + " does not say what the archive holds. Look at each library that came or changed: is it"
                + " wanted, and is no hole of that version known? Then run this test with -Dbrokermeter.update=true and commit the file."
                + " A jar of an earlier build goes by 'mvn clean'.")
            .isEqualTo(text);
    }

    @Test
    void noneHasAKnownHole() throws Exception {
        List<String> found = new ArrayList<>();
        for (Library library : libraries) {
            if (library.place().equals("lib")) {
                found.addAll(holes(library.group(), library.artifact(), library.version()));
            }
        }
        assertThat(found).as("libraries with a hole (dist/src/test/resources/holes.txt): take a version without it, or leave it out")
            .isEmpty();
    }

    /** The list itself: what it refuses, and what it lets through. */
    @ParameterizedTest
    @CsvSource({"com.alibaba, fastjson, 1.2.83, true", "com.alibaba.fastjson2, fastjson2, 2.0.62, true",
        "com.alibaba.fastjson2, fastjson2, 2.0.63, false", "commons-collections, commons-collections, 3.2.2, true",
        "io.netty, netty-codec, 4.1.135.Final, true", "io.netty, netty-codec, 4.1.136.Final, false",
        "com.github.luben, zstd-jni, 1.5.7-2, true", "com.github.luben, zstd-jni, 1.5.7-15, false",
        "com.google.guava, guava, 31.1-jre, true", "com.google.guava, guava, 32.0.1-jre, false",
        "org.apache.kafka, kafka-clients, 4.1.1, true", "org.apache.kafka, kafka-clients, 3.9.2, false"})
    void aHoleEndsWithTheVersionThatClosesIt(String group, String artifact, String version, boolean open) throws Exception {
        assertThat(holes(group, artifact, version)).hasSize(open ? 1 : 0);
    }

    private static List<String> holes(String group, String artifact,
            String version) throws IOException, InvalidVersionSpecificationException {
        List<String> found = new ArrayList<>();
        for (Map.Entry<String, String[]> hole : list().entrySet()) {
            boolean named = hole.getKey().equals(group + ":" + artifact) || hole.getKey().equals(group + ":*");
            if (named && VersionRange.createFromVersionSpec(hole.getValue()[0]).containsVersion(new DefaultArtifactVersion(version))) {
                found.add(group + ":" + artifact + ":" + version + ": " + hole.getValue()[1]);
            }
        }
        return found;
    }

    private static Map<String, String[]> list() throws IOException {
        Map<String, String[]> holes = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("src/test/resources/holes.txt"))) {
            if (!line.startsWith("#")) {
                String[] words = line.split(" +", 3);
                holes.put(words[0], new String[] {words[1], words[2]});
            }
        }
        return holes;
    }
}
