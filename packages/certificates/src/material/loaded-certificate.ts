import { createHash, type KeyObject, type X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { messageOf, ServerError } from "server-core/errors";
import { keyFromPem, keyToPem } from "./key-pair.ts";
import { certificatesToPem, parseCertificates } from "./pem.ts";

/** A certificate with its key, ready to be sent to clients. */
export interface LoadedCertificate {
  /** Hash of certificate and key; equal pairs have the same ID. */
  readonly id: string;
  /** DNS names (including names like `*.example.com`) and IP addresses, lower case. */
  readonly names: readonly string[];
  /** The certificate itself, without its chain. */
  readonly leaf: X509Certificate;
  /** PEM of the certificate and its chain. */
  readonly chainPem: string;
  /** Private key, PEM. */
  readonly keyPem: string;
  readonly keyType: string;
  /**
   * Tags from the config, by which policies select the certificate; empty for a certificate that the server obtained.
   */
  readonly tags: readonly string[];
  /** The files or another source of the certificate, for messages. */
  readonly source: string;
}

export function namesOf(certificate: X509Certificate): string[] {
  const names = (certificate.subjectAltName ?? "")
    .split(", ")
    .flatMap((entry) => /^(?:DNS|IP Address):"?([^"]+)"?$/.exec(entry)?.[1]?.toLowerCase() ?? []);
  if (names.length > 0) {
    return names;
  }
  const commonName = /^CN=(.+)$/m.exec(certificate.subject)?.[1]?.toLowerCase();
  return commonName === undefined ? [] : [commonName];
}

/** Text for logs: the certificate's first name, or its subject. */
export function describeCertificate(certificate: X509Certificate): string {
  // For an empty subject, Node returns undefined, although its types say otherwise.
  const subject: string | undefined = certificate.subject;
  return namesOf(certificate)[0] ?? subject?.replaceAll("\n", ", ") ?? "without a name";
}

/**
 * Reads certificate and key, and checks that TLS accepts them.
 * @param source the files or another source, for the error
 * @throws ServerError CERTIFICATE with subject and source for an unreadable certificate, a key that does not belong to
 * it, or a weak key
 */
export function loadCertificate(
  chainPem: string | Uint8Array,
  key: KeyObject | string | Uint8Array,
  source: string,
  tags: readonly string[] = [],
): LoadedCertificate {
  const chain = parseCertificates(chainPem, source);
  const [leaf] = chain as [X509Certificate];
  const privateKey = typeof key === "string" || key instanceof Uint8Array ? keyFromPem(key, source) : key;
  const fail = (reason: string) =>
    new ServerError("CERTIFICATE", `${source}: certificate ${describeCertificate(leaf)}: ${reason}`);
  if (!leaf.checkPrivateKey(privateKey)) {
    throw fail("the key is another one's");
  }
  const pem = certificatesToPem(chain);
  const keyPem = keyToPem(privateKey);
  try {
    createSecureContext({ cert: pem, key: keyPem, minVersion: "TLSv1.2" });
  } catch (error) {
    throw fail(messageOf(error).replace(/^error:[0-9A-F]+:/, ""));
  }
  return {
    id: createHash("sha256").update(pem).update(keyPem).digest("base64url"),
    names: namesOf(leaf),
    leaf,
    chainPem: pem,
    keyPem,
    keyType: privateKey.asymmetricKeyType ?? "",
    tags,
    source,
  };
}

/** Text with the reason why a certificate is not valid now; undefined for a valid certificate. */
export function dateFault(certificate: X509Certificate, now = Date.now()): string | undefined {
  if (now >= certificate.validToDate.getTime()) {
    return `expired on ${certificate.validToDate.toISOString()}`;
  }
  return now < certificate.validFromDate.getTime()
    ? `not valid before ${certificate.validFromDate.toISOString()}`
    : undefined;
}
