package io.brokermeter.brokers.artifact;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPInputStream;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Unpacks compressed tar archives. Links and devices are left out, since only the jars of a broker are needed. */
final class TarGz {

    private TarGz() {}

    /**
     * Unpacks an archive into an existing directory, without the first directory of the names in the archive.
     *
     * @throws IOException when the archive is damaged, or names a file outside of the directory
     */
    static void unpack(Path archive, Path target) throws IOException {
        try (InputStream file = Files.newInputStream(archive);
                InputStream plain = new BufferedInputStream(new GZIPInputStream(file, 1 << 16), 1 << 16);
                TarArchiveInputStream tar = new TarArchiveInputStream(plain)) {
            TarArchiveEntry entry;
            while ((entry = tar.getNextEntry()) != null) {
                if (!entry.isCheckSumOK()) {
                    throw new IOException("the archive is damaged: a header has a wrong checksum");
                }
                Path place = place(entry.getName(), target.toAbsolutePath().normalize());
                switch (entry.getLinkFlag()) {
                    case TarConstants.LF_DIR -> Files.createDirectories(place);
                    case TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM, TarConstants.LF_CONTIG -> {
                        Files.createDirectories(place.resolve("..").normalize());
                        Files.copy(tar, place, StandardCopyOption.REPLACE_EXISTING);
                    }
                    default -> {}
                }
            }
        }
    }

    private static Path place(String name, Path target) throws IOException {
        int slash = name.indexOf('/', name.startsWith("./") ? 2 : 0);
        Path place = slash < 0 ? target : target.resolve(name.substring(slash + 1).replaceFirst("^/+", "")).normalize();
        if (!place.startsWith(target)) {
            throw new IOException("the archive names a file outside of its directory, " + name);
        }
        return place;
    }
}
