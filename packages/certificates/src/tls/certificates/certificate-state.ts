import type { X509Certificate } from "node:crypto";
import { type LoadedCertificate, namesOf } from "../../material/loaded-certificate.ts";

/** Topic by which threads request all certificates from the main thread; the answer is {@link CertificateStates}. */
export const certificatesTopic = "tls.certificates";

/** The public facts about a certificate. The kind is the only public fact about its key. */
export interface CertificateState {
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** The issuer's common name, or its organization. */
  readonly issuer: string;
  /** Serial number, upper-case hexadecimal. */
  readonly serial: string;
  /** SHA-256 of the certificate, hexadecimal with colons. */
  readonly fingerprint: string;
  /** Start of validity, RFC 3339. */
  readonly not_before: string;
  /** End of validity, RFC 3339; clients refuse the certificate afterwards. */
  readonly not_after: string;
  readonly key_type: string;
  /** Tags from the config, by which policies select the certificate. */
  readonly tags: readonly string[];
  /** True when this server obtains and renews the certificate. */
  readonly managed: boolean;
  /** Time of the next renewal, RFC 3339; null when the certificate is not managed. */
  readonly renew_at: string | null;
}

/** A name whose certificate this server obtains and renews. */
export interface ManagedName {
  /** A DNS name, which may start with `*.`, or an IP address. */
  readonly name: string;
  /** The certificate's ID; undefined before the first certificate. */
  readonly certificateId: string | undefined;
  /**
   * Time of the renewal that follows from the certificate's age, in milliseconds since 1970; undefined without a
   * certificate.
   */
  readonly renewAtMs: number | undefined;
  /** Number of consecutive failed attempts; 0 after a success. */
  readonly failures: number;
  /** Error of the last attempt; undefined after a success. */
  readonly lastError: string | undefined;
}

/** A name that has no certificate, or whose certificate could not be renewed. */
export interface CertificateTrouble {
  /** A DNS name, which may start with `*.`, or an IP address. */
  readonly name: string;
  /** Number of consecutive failed attempts. */
  readonly failures: number;
  /** Reason of the last failure; null before the first failure. */
  readonly error: string | null;
}

/** The answer to {@link certificatesTopic}. */
export interface CertificateStates {
  /** Certificates in use, including certificates that the config loads. */
  readonly certificates: readonly CertificateState[];
  /** Names that have no certificate yet, and names whose certificate could not be renewed. */
  readonly pending: readonly CertificateTrouble[];
}

function issuerOf({ issuer }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(issuer)?.[1] ?? /^O=(.+)$/m.exec(issuer)?.[1] ?? issuer.replaceAll("\n", ", ");
}

/** States of all certificates, ordered by expiry, earliest first. */
export function certificateStates(
  certificates: readonly LoadedCertificate[],
  managed: readonly ManagedName[],
): CertificateStates {
  const renewals = new Map(managed.map((each) => [each.certificateId, each.renewAtMs]));
  const states = certificates.map(({ id, leaf, keyType, tags }): CertificateState => {
    const renewAtMs = renewals.get(id);
    return {
      names: namesOf(leaf),
      issuer: issuerOf(leaf),
      serial: leaf.serialNumber,
      fingerprint: leaf.fingerprint256,
      not_before: leaf.validFromDate.toISOString(),
      not_after: leaf.validToDate.toISOString(),
      key_type: keyType,
      tags,
      managed: renewals.has(id),
      renew_at: renewAtMs === undefined ? null : new Date(renewAtMs).toISOString(),
    };
  });
  return {
    certificates: states.sort((a, b) => (a.not_after < b.not_after ? -1 : 1)),
    pending: managed
      .filter(({ certificateId, failures }) => certificateId === undefined || failures > 0)
      .map(({ name, failures, lastError }) => ({ name, failures, error: lastError ?? null })),
  };
}
