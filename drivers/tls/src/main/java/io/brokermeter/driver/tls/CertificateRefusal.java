package io.brokermeter.driver.tls;

import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** The reason why the peer's certificate was refused, with the details for an error message. */
public final class CertificateRefusal extends CertificateException {

    private static final long serialVersionUID = 1;
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;
    private static final int MOST_NAMES = 5;

    /** The reasons for refusing a certificate. */
    public enum Kind { UNTRUSTED, EXPIRED, NOT_YET_VALID, WRONG_HOST }

    private final Kind kind;
    private final String issuer;
    private final String detail;

    private CertificateRefusal(Kind kind, String issuer, String detail, @Nullable CertificateException cause) {
        super(switch (kind) {
            case UNTRUSTED -> "the issuer " + issuer + " is not trusted";
            case EXPIRED -> "the certificate expired on " + detail;
            case NOT_YET_VALID -> "the certificate is not valid before " + detail;
            case WRONG_HOST -> "the certificate is for " + detail;
        }, cause);
        this.kind = kind;
        this.issuer = issuer;
        this.detail = detail;
    }

    /** Creates the refusal of a certificate whose issuer is unknown, or that is expired or not yet valid. */
    static CertificateRefusal untrusted(X509Certificate certificate, CertificateException cause) {
        Kind kind = Kind.UNTRUSTED;
        for (Throwable at = cause; at != null && at != at.getCause(); at = at.getCause()) {
            if (at instanceof CertificateExpiredException) {
                kind = Kind.EXPIRED;
            } else if (at instanceof CertificateNotYetValidException) {
                kind = Kind.NOT_YET_VALID;
            }
        }
        String detail = switch (kind) {
            case EXPIRED -> day(certificate.getNotAfter());
            case NOT_YET_VALID -> day(certificate.getNotBefore());
            default -> String.valueOf(cause.getMessage());
        };
        return new CertificateRefusal(kind, certificate.getIssuerX500Principal().getName(), detail, cause);
    }

    /** Creates the refusal of a trusted certificate that names other hosts. */
    static CertificateRefusal wrongHost(X509Certificate certificate, @Nullable CertificateException cause) {
        List<String> names = names(certificate);
        String shown = String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size())))
            + (names.size() > MOST_NAMES ? " and others" : "");
        return new CertificateRefusal(Kind.WRONG_HOST, certificate.getIssuerX500Principal().getName(),
            names.isEmpty() ? certificate.getSubjectX500Principal().getName() : shown, cause);
    }

    /** Returns the host names and addresses for which a certificate was issued. */
    static List<String> names(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            if (all != null) {
                for (List<?> name : all) {
                    if (name.get(0) instanceof Integer type && (type == DNS_NAME || type == IP_ADDRESS)) {
                        names.add(String.valueOf(name.get(1)));
                    }
                }
            }
        } catch (CertificateParsingException e) {
            // it has no names that can be read
        }
        return names;
    }

    private static String day(java.util.Date date) {
        return LocalDate.ofInstant(date.toInstant(), ZoneOffset.UTC).toString();
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the name of the certificate's issuer. */
    public String issuer() {
        return issuer;
    }

    /** Returns the day on which the validity ends or begins, the hosts that the certificate names, or why its issuer is not trusted. */
    public String detail() {
        return detail;
    }
}
