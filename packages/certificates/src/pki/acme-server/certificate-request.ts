// The library needs this polyfill to find its algorithms, so this import must come first.
import "../../material/reflect-metadata.ts";
import { createPublicKey, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { AcmeProblem } from "./acme-problem.ts";

/** The names and the key for which a client wants a certificate. */
export interface CertificateRequest {
  /** Key whose private half signed the request, which proves that the client has it. */
  readonly publicKey: KeyObject;
  /** Names of the subject and of the extension, lower case, each once, sorted. */
  readonly names: readonly string[];
}

/** Shorter keys of RSA are considered breakable. */
const minRsaBits = 2048;
/** Longer keys slow down every handshake, and no client needs them. */
const maxRsaBits = 8192;
/** P-256, P-384 and P-521, with OpenSSL's names. */
const curves = ["prime256v1", "secp384r1", "secp521r1"];

/** Addresses in Node's canonical form, names in lower case. */
export function canonicalName(name: string): string {
  return isIP(name) === 6 ? new URL(`http://[${name}]/`).hostname.slice(1, -1) : name.toLowerCase();
}

/** The reason why a key is not allowed in a certificate; undefined for an allowed key. */
function keyFault(key: KeyObject): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const bits = details?.modulusLength ?? 0;
  if (type === "rsa") {
    return bits < minRsaBits || bits > maxRsaBits
      ? `RSA key of ${bits} bits, allowed are ${minRsaBits} to ${maxRsaBits}`
      : undefined;
  }
  if (type === "ec") {
    const curve = details?.namedCurve ?? "";
    return curves.includes(curve) ? undefined : `curve ${curve}, allowed are ${curves.join(", ")}`;
  }
  return type === "ed25519" ? undefined : `keys of type ${type} are not certified`;
}

/**
 * Reads a PKCS #10 request and checks its signature and key. @param der at most as long as a message. @throws
 * AcmeProblem badCSR
 */
export async function readCertificateRequest(der: Uint8Array): Promise<CertificateRequest> {
  let request: Pkcs10CertificateRequest;
  let publicKey: KeyObject;
  let verified: boolean;
  try {
    request = new Pkcs10CertificateRequest(Buffer.from(der));
    publicKey = createPublicKey({
      key: Buffer.from(request.publicKey.rawData),
      format: "der",
      type: "spki",
    });
    verified = await request.verify();
  } catch {
    throw new AcmeProblem("badCSR", "not a certificate request (PKCS #10, DER in base64url)");
  }
  if (!verified) {
    throw new AcmeProblem("badCSR", "the request's signature does not verify");
  }
  const fault = keyFault(publicKey);
  if (fault !== undefined) {
    throw new AcmeProblem("badCSR", fault);
  }
  const names = request.subjectName.getField("CN").filter((name) => name !== "");
  for (const extension of request.extensions) {
    if (extension instanceof SubjectAlternativeNameExtension) {
      for (const { type, value } of extension.names.items) {
        if (type !== "dns" && type !== "ip") {
          throw new AcmeProblem("badCSR", `names of type ${type} are not certified`);
        }
        names.push(value);
      }
    }
  }
  return { publicKey, names: [...new Set(names.map(canonicalName))].sort() };
}
