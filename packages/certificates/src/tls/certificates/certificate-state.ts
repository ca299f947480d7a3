import type { X509Certificate } from "node:crypto";
import { type LoadedCertificate, namesOf } from "../../material/loaded-certificate.ts";

/** Topic by which the main thread is asked for all certificates; answers with a list of {@link CertificateState}. */
export const certificatesTopic = "tls.certificates";

/** The public facts about a certificate; of its key only the kind. */
export interface CertificateState {
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** The issuer's common name, or its organization. */
  readonly issuer: string;
  /** Hexadecimal, upper case. */
  readonly serial: string;
  /** SHA-256 of the certificate, hexadecimal with colons. */
  readonly fingerprint: string;
  /** RFC 3339. */
  readonly not_before: string;
  /** RFC 3339; clients refuse the certificate from then on. */
  readonly not_after: string;
  readonly key_type: string;
  /** Words of the config by which policies select it. */
  readonly tags: readonly string[];
  /** Whether this server obtains and renews it. */
  readonly managed: boolean;
  /** When it will be renewed, RFC 3339; null where it is not managed. */
  readonly renew_at: string | null;
}

/** A name whose certificate is looked after. */
export interface ManagedName {
  /** A DNS name, which may begin with `*.`, or an IP address. */
  readonly name: string;
  /** The certificate's id; undefined while there is none. */
  readonly certificateId: string | undefined;
  /** When its age has it renewed, in milliseconds since 1970; undefined without a certificate. */
  readonly renewAtMs: number | undefined;
  /** Attempts that failed, one after the other; 0 when the last one succeeded. */
  readonly failures: number;
  /** Why the last attempt failed; undefined when it succeeded. */
  readonly lastError: string | undefined;
}

/** A name without a certificate, or whose renewal fails. */
export interface CertificateTrouble {
  /** A DNS name, which may begin with `*.`, or an IP address. */
  readonly name: string;
  /** Attempts that failed, one after the other. */
  readonly failures: number;
  /** Why the last attempt failed; null where none has failed yet. */
  readonly error: string | null;
}

/** The answer to {@link certificatesTopic}. */
export interface CertificateStates {
  /** Those in use, also the ones that the config loads. */
  readonly certificates: readonly CertificateState[];
  /** Names for which there is none yet, or whose renewal fails. */
  readonly pending: readonly CertificateTrouble[];
}

function issuerOf({ issuer }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(issuer)?.[1] ?? /^O=(.+)$/m.exec(issuer)?.[1] ?? issuer.replaceAll("\n", ", ");
}

/** Tells of all certificates, those that end first before the others. */
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
