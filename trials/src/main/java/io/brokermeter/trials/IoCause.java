package io.brokermeter.trials;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

import org.jspecify.annotations.Nullable;

/** Describes why a file could not be used. */
public final class IoCause {

    private IoCause() {}

    /** Returns the cause as the end of a sentence: {@code permission denied}. */
    public static String of(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "there is no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case FileAlreadyExistsException _ -> "something is in its place";
            case FileSystemException f when f.getReason() != null -> lower(f.getReason());
            default -> lower(e.getMessage());
        };
    }

    private static String lower(@Nullable String text) {
        return text == null || text.isEmpty() ? "unknown input or output error"
            : Character.toLowerCase(text.charAt(0)) + text.substring(1);
    }
}
