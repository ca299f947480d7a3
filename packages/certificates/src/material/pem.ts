import { X509Certificate } from "node:crypto";
import { messageOf, ServerError } from "server-core/errors";

/** Maximum number of certificates in one text. A text with more is refused. */
export const maxChain = 1_000;

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const keyBlock = /-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----[^-]+-----END \1-----/;

/**
 * Reads the certificates of a PEM text, in their order.
 * @param source names the file in the error
 * @throws ServerError CERTIFICATE when the text has no certificate or an unreadable one
 */
export function parseCertificates(pem: string | Uint8Array, source: string): X509Certificate[] {
  const text = typeof pem === "string" ? pem : Buffer.from(pem).toString("latin1");
  const blocks = text.match(certificateBlock) ?? [];
  if (blocks.length === 0) {
    throw new ServerError("CERTIFICATE", `${source}: no certificate in PEM`);
  }
  if (blocks.length > maxChain) {
    throw new ServerError("CERTIFICATE", `${source}: ${blocks.length} certificates, limit ${maxChain}`);
  }
  return blocks.map((block, position) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new ServerError("CERTIFICATE", `${source}: certificate ${position + 1}: ${messageOf(error)}`);
    }
  });
}

/** The first private key of a PEM text; undefined when there is none. */
export function findKey(pem: string | Uint8Array): string | undefined {
  const text = typeof pem === "string" ? pem : Buffer.from(pem).toString("latin1");
  return keyBlock.exec(text)?.[0];
}

/** PEM text of certificates, each with a newline at its end. */
export function certificatesToPem(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => `${certificate.toString().trimEnd()}\n`).join("");
}
