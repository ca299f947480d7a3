import type { X509Certificate } from "node:crypto";
// The library needs this polyfill to find its algorithms, so this import must come first.
import "../material/reflect-metadata.ts";
import { AuthorityKeyIdentifierExtension, X509Certificate as LibraryCertificate } from "@peculiar/x509";

/**
 * The ID with which a CA identifies a certificate in requests for renewal information. Source: RFC 9773, section 4.1
 */
export function renewalId(certificate: X509Certificate): string | undefined {
  const parsed = new LibraryCertificate(certificate.raw);
  const extension = parsed.extensions.find((each) => each instanceof AuthorityKeyIdentifierExtension);
  if (extension?.keyId === undefined) {
    return undefined;
  }
  const encode = (hex: string) => Buffer.from(hex, "hex").toString("base64url");
  const serial =
    certificate.serialNumber.length % 2 === 0 ? certificate.serialNumber : `0${certificate.serialNumber}`;
  // The serial number as DER encodes it: an extra zero byte keeps it positive.
  const der = Number.parseInt(serial.slice(0, 2), 16) >= 0x80 ? `00${serial}` : serial;
  return `${encode(extension.keyId)}.${encode(der)}`;
}
