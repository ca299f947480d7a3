import { createPublicKey, type X509Certificate } from "node:crypto";
import { type KeyType, keyToPem, makeKey } from "../material/key-pair.ts";
import { certificatesToPem } from "../material/pem.ts";
import { type CertificatePlan, makeCertificate } from "../material/x509.ts";

const dayMs = 86_400_000;

/** A self-signed certificate. */
export interface SelfSigned {
  /** Certificate, PEM. */
  readonly cert: string;
  /** Private key, PKCS #8, PEM. */
  readonly key: string;
  readonly certificate: X509Certificate;
}

/** Deviations from the defaults. */
export interface SelfSignedOptions extends Pick<CertificatePlan, "extensions" | "pathLength"> {
  /** DNS names and IP addresses; by default the common name, or no name when the common name is "". */
  readonly names?: readonly string[];
  /** Start of the validity, in days from now. Default: -1. */
  readonly fromDays?: number;
  /** End of the validity, in days from now. Default: 1. */
  readonly toDays?: number;
  /** Default "p256". */
  readonly keyType?: KeyType;
}

/** For tests: makes a key and a self-signed certificate. @param commonName "" when the certificate has none */
export async function selfSigned(commonName: string, options: SelfSignedOptions = {}): Promise<SelfSigned> {
  const { names, fromDays = -1, toDays = 1, keyType = "p256", ...more } = options;
  const key = await makeKey(keyType);
  const certificate = await makeCertificate({
    ...more,
    commonName,
    names: names ?? (commonName === "" ? [] : [commonName]),
    publicKey: createPublicKey(key),
    notBefore: new Date(Date.now() + fromDays * dayMs),
    notAfter: new Date(Date.now() + toDays * dayMs),
    issuerKey: key,
  });
  return { cert: certificatesToPem([certificate]), key: keyToPem(key), certificate };
}
