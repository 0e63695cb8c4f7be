package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.directory.RunDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class PrivateFilesTest {

    @TempDir
    Path directory;

    private static String permissions(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void nobodyElseMayLookInside() throws Exception {
        Path made = PrivateFiles.directories(directory.resolve("a").resolve("b"));
        assertThat(permissions(made)).isEqualTo("rwx------");
        RunDirectory.write(made.resolve("f"), "text");
        assertThat(permissions(made.resolve("f"))).isEqualTo("rw-------");
    }

    @Test
    void aLinkOfAThirdUserIsForeign() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("target"));
        int own = (Integer) Files.getAttribute(link, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        assertThat(PrivateFiles.isForeignLink(link, own)).isFalse();
        assertThat(PrivateFiles.isForeignLink(link)).isFalse();
        assertThat(PrivateFiles.isForeignLink(link, own + 1)).as("root's links are followed by everybody").isEqualTo(own != 0);
        try (ReportFile file = ReportFile.open("--json", link)) {
            file.append("text");
        }
        assertThat(directory.resolve("target")).hasContent("text");
    }

    @Test
    void doesNotFollowTheLinkOfAThirdUser() throws Exception {
        assumeThat(Files.getAttribute(directory, "unix:uid")).as("root can give a link away").isEqualTo(0);
        Path target = Files.writeString(directory.resolve("target"), "precious");
        Path link = Files.createSymbolicLink(directory.resolve("link"), target);
        assertThat(new ProcessBuilder("chown", "-h", "65534", link.toString()).start().waitFor()).isZero();
        assertThatThrownBy(() -> ReportFile.open("--json", link)).isInstanceOf(UsageException.class)
            .hasMessageContaining("is a symbolic link of another user");
        assertThat(target).hasContent("precious");
    }
}
