import { createPrivateKey, type KeyObject } from "node:crypto";
import type { CertificateAnswer } from "../../material/certificate-messages.ts";
import { parseCertificates } from "../../material/pem.ts";

/** A certificate in the form for a handshake. */
export interface ShownCertificate {
  /** Chain in DER, the server's certificate first. */
  readonly chain: readonly Buffer[];
  readonly key: KeyObject;
}

const known = new WeakMap<CertificateAnswer, readonly ShownCertificate[]>();

/**
 * Parses the texts of an answer, once for each answer. @throws ServerError CERTIFICATE, or the library's error for a
 * key
 */
export function readAnswer(answer: CertificateAnswer): readonly ShownCertificate[] {
  let shown = known.get(answer);
  if (shown === undefined) {
    shown = answer.certificates.map(({ cert, key }) => ({
      chain: parseCertificates(cert, answer.id).map(({ raw }) => raw),
      key: createPrivateKey(key),
    }));
    known.set(answer, shown);
  }
  return shown;
}
