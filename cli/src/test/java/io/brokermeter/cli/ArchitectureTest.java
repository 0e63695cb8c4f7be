package io.brokermeter.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Dependencies between modules: each may use only those below it. */
class ArchitectureTest {

    /** Maximum number of lines of a source file; a class in a longer one has more than one job. */
    private static final int LONGEST_CLASS = 450;
    /** Maximum number of fields of a class, constants not counted; one with more has more than one job. Records are data and have none. */
    private static final int MOST_FIELDS = 25;
    /** Maximum number of files of a package; a larger one has more than one subject. */
    private static final int LARGEST_PACKAGE = 25;

    private static JavaClasses house;

    @BeforeAll
    static void readTheClasses() {
        house = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.brokermeter");
    }

    @Test
    void everyRoomIsLookedAt() {
        for (String room : new String[] {"spi", "engine", "brokers", "experiment", "reports", "analysis", "trials", "cli", "network",
            "cluster",
            "driver.tls",
            "driver.wire",
            "driver.jms", "driver.core", "driver.amqp", "driver.loopback"}) {
            assertThat(house.containPackage("io.brokermeter." + room)
                || house.stream().anyMatch(c -> c.getPackageName().startsWith("io.brokermeter." + room))).as(room).isTrue();
        }
    }

    @Test
    void theSpiUsesTheJdkAlone() {
        classes().that().resideInAPackage("io.brokermeter.spi..").should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.brokermeter.spi..", "java..", "org.jspecify..").check(house);
    }

    @Test
    void theNetworkAndProcUseTheJdkAlone() {
        classes().that().resideInAPackage("io.brokermeter.proc..").should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.brokermeter.proc..", "java..", "org.jspecify..").check(house);
        classes().that().resideInAPackage("io.brokermeter.network..").should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.brokermeter.network..", "io.brokermeter.proc..", "java..", "org.jspecify..").check(house);
    }

    @Test
    void theClusterKnowsNothingOfRunsAndAloneUsesJGroups() {
        classes().that().resideInAPackage("io.brokermeter.cluster..").should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.brokermeter.cluster..", "java..", "javax.net..", "javax.crypto..", "org.jgroups..", "org.jspecify..")
            .check(house);
        classes().that().resideInAPackage("io.brokermeter.cluster.clock..").should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.brokermeter.cluster.clock..", "java..", "javax.crypto..", "org.jspecify..")
            .allowEmptyShould(true).check(house);
        noClasses().that(of("io.brokermeter").and(not("io.brokermeter.cluster", "io.brokermeter.trials", "io.brokermeter.cli")))
            .should().dependOnClassesThat(of("io.brokermeter.cluster")).check(house);
        noClasses().that(of("io.brokermeter").and(not("io.brokermeter.cluster"))).should().dependOnClassesThat(of("org.jgroups"))
            .check(house);
    }

    @Test
    void aDriverSeesTheSpiAndItsBasesAlone() {
        noClasses().that().resideInAPackage("io.brokermeter.driver..").should().dependOnClassesThat(
            of("io.brokermeter").and(not("io.brokermeter.spi", "io.brokermeter.driver"))).check(house);
        noClasses().that().resideInAPackage("io.brokermeter.driver.jms..").should().dependOnClassesThat(
            of("io.brokermeter.driver").and(not("io.brokermeter.driver.jms", "io.brokermeter.driver.tls"))).check(house);
        noClasses().that().resideInAPackage("io.brokermeter.driver.tls..").should().dependOnClassesThat(
            of("io.brokermeter.driver").and(not("io.brokermeter.driver.tls"))).check(house);
        noClasses().that().resideInAPackage("io.brokermeter.driver.wire..").should().dependOnClassesThat(
            of("io.brokermeter.driver").and(not("io.brokermeter.driver.wire", "io.brokermeter.driver.tls"))).check(house);
        slices().matching("io.brokermeter.driver.(*)..").should().notDependOnEachOther()
            .ignoreDependency(of("io.brokermeter.driver"),
                of("io.brokermeter.driver.jms").or(of("io.brokermeter.driver.tls")).or(of("io.brokermeter.driver.wire")))
            .check(house);
    }

    @Test
    void theEngineSeesNoDriverNoConsoleAndNoBroker() {
        noClasses().that().resideInAPackage("io.brokermeter.engine..").should().dependOnClassesThat(
            of("io.brokermeter").and(not("io.brokermeter.engine", "io.brokermeter.spi", "io.brokermeter.proc"))).check(house);
    }

    @Test
    void brokersSeeTheSpiAloneAndTheirObservationWhatARunWantsToKnow() {
        noClasses().that(of("io.brokermeter.brokers").and(not("io.brokermeter.brokers.observe"))).should().dependOnClassesThat(
            of("io.brokermeter").and(not("io.brokermeter.brokers", "io.brokermeter.spi", "io.brokermeter.hosts", "io.brokermeter.proc")))
            .check(house);
        noClasses().that().resideInAPackage("io.brokermeter.brokers.observe..").should().dependOnClassesThat(
            of("io.brokermeter")
                .and(not("io.brokermeter.brokers.observe", "io.brokermeter.spi", "io.brokermeter.hosts", "io.brokermeter.proc",
                    "io.brokermeter.engine.health", "io.brokermeter.engine.recording", "io.brokermeter.engine.run",
                    "io.brokermeter.engine.scenario")))
            .check(house);
    }

    @Test
    void experimentsSeeWhatTheUserAskedForAndTheBrokersButNothingThatRuns() {
        noClasses().that().resideInAPackage("io.brokermeter.experiment..").should().dependOnClassesThat(
            of("io.brokermeter").and(not("io.brokermeter.experiment", "io.brokermeter.brokers", "io.brokermeter.spi",
                "io.brokermeter.network", "io.brokermeter.engine.scenario")))
            .check(house);
        noClasses().that(of("io.brokermeter.engine").or(of("io.brokermeter.brokers")).or(of("io.brokermeter.reports")))
            .should().dependOnClassesThat(of("io.brokermeter.experiment")).check(house);
    }

    @Test
    void reportsAreMadeFromResultsAlone() {
        // Setting is allowed, since a sentence about a setting names the option or the key with which it was set.
        noClasses().that().resideInAPackage("io.brokermeter.reports..").should().dependOnClassesThat(
            of("io.brokermeter").and(not("io.brokermeter.reports", "io.brokermeter.engine", "io.brokermeter.proc"))
                .and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(Setting.class))))
            .check(house);
        noClasses().that().resideInAPackage("io.brokermeter.reports..").should().dependOnClassesThat(
            of("io.brokermeter.engine.pacing").or(of("io.brokermeter.engine.envelope"))
                .or(of("io.brokermeter.engine.plan")))
            .check(house);
    }

    @Test
    void analysesAreMadeFromTheFilesOfRunsAndStatisticsFromNumbers() {
        noClasses().that().resideInAPackage("io.brokermeter.analysis..").should().dependOnClassesThat(
            of("io.brokermeter").and(not("io.brokermeter.analysis", "io.brokermeter.reports", "io.brokermeter.experiment",
                "io.brokermeter.engine.scenario", "io.brokermeter.spi")))
            .check(house);
        classes().that().resideInAPackage("io.brokermeter.analysis.statistics..").should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.brokermeter.analysis.statistics..", "java..", "org.jspecify..").check(house);
        noClasses().that(of("io.brokermeter").and(not("io.brokermeter.analysis", "io.brokermeter.trials", "io.brokermeter.cli")))
            .should().dependOnClassesThat(of("io.brokermeter.analysis")).check(house);
    }

    @Test
    void trialsAreStartedByTheCommandLineAndKnowNothingOfIt() {
        noClasses().that(of("io.brokermeter").and(not("io.brokermeter.cli", "io.brokermeter.trials", "io.brokermeter.dist")))
            .should().dependOnClassesThat(of("io.brokermeter.trials").or(of("io.brokermeter.cli"))).check(house);
        noClasses().that().resideInAPackage("io.brokermeter.trials..").should().dependOnClassesThat(
            of("io.brokermeter.cli").or(of("picocli"))).check(house);
    }

    @Test
    void theCommandLineKnowsNoParticularProtocol() {
        noClasses().that(of("io.brokermeter.cli").or(of("io.brokermeter.trials"))).should().dependOnClassesThat(of("io.brokermeter.driver"))
            .check(house);
    }

    @Test
    void onlyTheCommandLinePrints() {
        noClasses().that(of("io.brokermeter.engine").or(of("io.brokermeter.spi")).or(of("io.brokermeter.driver"))
            .or(of("io.brokermeter.reports")).or(of("io.brokermeter.analysis")).or(of("io.brokermeter.brokers"))
            .or(of("io.brokermeter.experiment")).or(of("io.brokermeter.trials")).or(of("io.brokermeter.cluster")))
            .should().accessField(System.class, "out").orShould().accessField(System.class, "err").check(house);
    }

    @Test
    void whatTheUserAskedForKnowsNotHowItRuns() {
        noClasses().that().resideInAPackage("io.brokermeter.engine.scenario..").should().dependOnClassesThat(
            of("io.brokermeter.engine").and(not("io.brokermeter.engine.scenario"))).check(house);
    }

    /** These modules refer to a setting; the code that prints the sentence knows its option or key. */
    @Test
    void whatIsBelowTheCommandLineAndTheFilesNamesNoOption() {
        Pattern option = Pattern.compile("--(" + Option.all().stream().flatMap(one -> one.names().stream())
            .filter(name -> name.startsWith("--")).map(name -> name.substring(2)).collect(Collectors.joining("|")) + ")\\b");
        List<String> found = new ArrayList<>();
        for (JavaClass one : house.that(of("io.brokermeter.spi").or(of("io.brokermeter.engine")).or(of("io.brokermeter.driver"))
            .or(of("io.brokermeter.brokers")).or(of("io.brokermeter.cluster"))
            .or(JavaClass.Predicates.simpleNameEndingWith("Sentences")))) {
            for (String constant : constants(one)) {
                // an option alone is an argument of another program
                if (option.matcher(constant).find() && !option.matcher(constant).matches()) {
                    found.add(one.getName() + ": " + constant);
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void aClassHasOneJob() throws IOException {
        List<String> found = new ArrayList<>();
        List<Path> classes = sources().stream().filter(one -> one.toString().contains("/src/main/java/")).toList();
        assertThat(classes).isNotEmpty();
        for (Path file : classes) {
            try (Stream<String> lines = Files.lines(file)) {
                long count = lines.count();
                if (count > LONGEST_CLASS) {
                    found.add(file + " has " + count + " lines");
                }
            }
        }
        for (JavaClass one : house) {
            long fields = one.getFields().stream().filter(field -> !isConstant(field)).count();
            if (fields > MOST_FIELDS && !isData(one)) {
                found.add(one.getName() + " has " + fields + " fields");
            }
        }
        assertThat(found).isEmpty();
    }

    /** Returns whether a field is a constant, or one that the compiler made. */
    private static boolean isConstant(JavaField field) {
        return field.getModifiers().containsAll(Set.of(JavaModifier.STATIC, JavaModifier.FINAL))
            || field.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    /** Returns whether a class is a record, or holds the components of one that is being made. */
    private static boolean isData(JavaClass one) {
        return one.isRecord() || one.getSimpleName().equals("Values");
    }

    @Test
    void aPackageIsSmallEnoughToBeRead() throws IOException {
        Map<Path, Long> sizes = sources().stream().filter(one -> one.toString().contains("/src/main/java/"))
            .collect(Collectors.groupingBy(Path::getParent, TreeMap::new, Collectors.counting()));
        assertThat(sizes).isNotEmpty();
        sizes.values().removeIf(count -> count <= LARGEST_PACKAGE);
        assertThat(sizes).as("packages of more than " + LARGEST_PACKAGE + " files").isEmpty();
    }

    /** A class of a contract inherits its tag; where the POM of its module says nothing of such classes, they would run in no phase. */
    @Test
    void everyTestRunsInAPhaseAndWhatStartsAProcessNotInTheQuickLoop() throws IOException {
        Pattern slow = Pattern.compile("@Tag\\(\"slow\"\\)|extends (\\w*Contract|BrokerTest)\\b");
        Pattern starts = Pattern.compile("new ProcessBuilder\\(|\\b(Broker|Chromium)\\.start\\(");
        Pattern said = Pattern.compile("<tests\\.(slow|phase|excluded)\\b");
        Pattern late = Pattern.compile("<tests\\.phase>|<id>default-test</id><phase>");
        Set<String> silent = new TreeSet<>();
        Set<String> quick = new TreeSet<>();
        for (Path file : sources()) {
            int module = file.toString().indexOf("/src/test/java/");
            if (module > 0) {
                String text = Files.readString(file);
                String pom = Files.readString(Path.of(file.toString().substring(0, module), "pom.xml"));
                if (slow.matcher(text).find() && !said.matcher(pom).find()) {
                    silent.add(file.toString());
                }
                if (file.toString().endsWith("Test.java") && starts.matcher(text).find() && !slow.matcher(text).find()
                    && !late.matcher(pom).find()) {
                    quick.add(file.toString());
                }
            }
        }
        assertThat(silent).as("the POM of their module must set tests.slow, tests.phase or tests.excluded").isEmpty();
        assertThat(quick).as("the tag slow is missing").isEmpty();
    }

    /** Nested classes are named after the one around them, so only those with a file of their own count. */
    @Test
    void noTwoClassesHaveOneName() throws IOException {
        Path root = Path.of(System.getProperty("brokermeter.root"));
        Map<String, List<Path>> places = new TreeMap<>();
        for (Path file : sources()) {
            String name = file.getFileName().toString();
            if (!name.endsWith("-info.java")) {
                places.computeIfAbsent(name, _ -> new ArrayList<>()).add(root.relativize(file));
            }
        }
        assertThat(places).containsKey("ArchitectureTest.java");
        places.values().removeIf(files -> files.size() == 1);
        assertThat(places).as("classes of one name; a prefix or the field's own term tells them apart").isEmpty();
    }

    /** Returns the sources of all modules. Other modules, which are built at the same time, create and delete files in {@code target}. */
    private static List<Path> sources() throws IOException {
        Path root = Path.of(System.getProperty("brokermeter.root"));
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {

            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = directory.getFileName().toString();
                return !directory.equals(root) && (name.equals("target") || name.startsWith(".")) ? FileVisitResult.SKIP_SUBTREE
                    : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (name.endsWith(".java")) {
                    sources.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }

    private static List<String> constants(JavaClass one) {
        try (InputStream in = one.getSource().orElseThrow().getUri().toURL().openStream()) {
            List<String> constants = new ArrayList<>();
            for (PoolEntry entry : ClassFile.of().parse(in.readAllBytes()).constantPool()) {
                if (entry instanceof StringEntry string) {
                    constants.add(string.stringValue());
                }
            }
            return constants;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DescribedPredicate<JavaClass> of(String packageName) {
        return DescribedPredicate.describe("of " + packageName, c -> isIn(c, packageName));
    }

    private static DescribedPredicate<JavaClass> not(String... packageNames) {
        return DescribedPredicate.describe("not of " + String.join(" or ", packageNames), c -> {
            for (String name : packageNames) {
                if (isIn(c, name)) {
                    return false;
                }
            }
            return true;
        });
    }

    private static boolean isIn(JavaClass c, String packageName) {
        return c.getPackageName().equals(packageName) || c.getPackageName().startsWith(packageName + ".");
    }
}
