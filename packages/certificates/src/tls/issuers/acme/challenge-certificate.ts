import { createHash, createPublicKey } from "node:crypto";
import { Extension } from "@peculiar/x509";
import { identifierOid } from "../../../acme/identifier-names.ts";
import { keyToPem, makeKey } from "../../../material/key-pair.ts";
import { certificatesToPem } from "../../../material/pem.ts";
import { makeCertificate } from "../../../material/x509.ts";

/** The certificate is valid for this time in milliseconds before now, and for the same time after now. */
const lifetimeMs = 3_600_000;

/** The certificate that answers TLS-ALPN-01, and its key, both in PEM. Source: RFC 8737, section 3 */
export async function makeChallengeCertificate(
  name: string,
  keyAuthorization: string,
): Promise<{ readonly cert: string; readonly key: string }> {
  const digest = createHash("sha256").update(keyAuthorization).digest();
  const key = await makeKey("p256");
  const now = Date.now();
  const certificate = await makeCertificate({
    commonName: "ACME challenge",
    names: [name],
    publicKey: createPublicKey(key),
    notBefore: new Date(now - lifetimeMs),
    notAfter: new Date(now + lifetimeMs),
    issuerKey: key,
    // The bytes 4 and 32 make the digest an OCTET STRING of 32 bytes.
    extensions: [new Extension(identifierOid, true, Buffer.concat([Buffer.from([4, 32]), digest]))],
  });
  return { cert: certificatesToPem([certificate]), key: keyToPem(key) };
}
