import { constants, type KeyObject, sign, verify } from "node:crypto";

/** A signature scheme of TLS 1.3. */
export interface SignatureScheme {
  /** TLS number of the scheme. */
  readonly id: number;
  /** `asymmetricKeyType` of keys for this scheme. */
  readonly keyType: "ec" | "ed25519" | "rsa" | "rsa-pss";
  /** The curve of "ec" keys, by OpenSSL's name. */
  readonly curve?: string;
  /** Undefined for Ed25519, which has its own hash. */
  readonly hash: "sha256" | "sha384" | "sha512" | undefined;
}

/** Supported schemes, the fastest first. Source: RFC 8446, section 4.2.3 */
export const signatureSchemes: readonly SignatureScheme[] = [
  { id: 0x0807, keyType: "ed25519", hash: undefined },
  { id: 0x0403, keyType: "ec", curve: "prime256v1", hash: "sha256" },
  { id: 0x0503, keyType: "ec", curve: "secp384r1", hash: "sha384" },
  { id: 0x0603, keyType: "ec", curve: "secp521r1", hash: "sha512" },
  { id: 0x0804, keyType: "rsa", hash: "sha256" },
  { id: 0x0805, keyType: "rsa", hash: "sha384" },
  { id: 0x0806, keyType: "rsa", hash: "sha512" },
  { id: 0x0809, keyType: "rsa-pss", hash: "sha256" },
  { id: 0x080a, keyType: "rsa-pss", hash: "sha384" },
  { id: 0x080b, keyType: "rsa-pss", hash: "sha512" },
];

/** @returns undefined when the key supports none of the client's signature algorithms */
export function schemeFor(key: KeyObject, offered: readonly number[]): SignatureScheme | undefined {
  const type = key.asymmetricKeyType;
  const details = key.asymmetricKeyDetails;
  return signatureSchemes.find(
    ({ id, keyType, curve, hash }) =>
      keyType === type &&
      (curve === undefined || curve === details?.namedCurve) &&
      (keyType !== "rsa-pss" || (details?.hashAlgorithm ?? hash) === hash) &&
      offered.includes(id),
  );
}

/** A transcript to be signed, and the side that signs it. */
export interface SignedTranscript {
  /** The signing side. It is part of the signed bytes, so that a signature cannot be used by the other side. */
  readonly side: "server" | "client";
  /** Hash of all handshake messages up to the certificate. */
  readonly hash: Buffer;
}

/** The bytes that a CertificateVerify message signs. Source: RFC 8446, section 4.4.3 */
function signedContent({ side, hash }: SignedTranscript): Buffer {
  return Buffer.concat([
    Buffer.alloc(64, 0x20),
    Buffer.from(`TLS 1.3, ${side} CertificateVerify\0`, "latin1"),
    hash,
  ]);
}

const withPadding = (scheme: SignatureScheme, key: KeyObject) =>
  scheme.keyType === "rsa" || scheme.keyType === "rsa-pss"
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : key;

export function signTranscript(
  scheme: SignatureScheme,
  key: KeyObject,
  transcript: SignedTranscript,
): Buffer {
  return sign(scheme.hash, signedContent(transcript), withPadding(scheme, key));
}

/** @returns true when the side signed the transcript with the key of `publicKey` */
export function verifyTranscript(
  scheme: SignatureScheme,
  publicKey: KeyObject,
  transcript: SignedTranscript,
  signature: Buffer,
): boolean {
  return verify(scheme.hash, signedContent(transcript), withPadding(scheme, publicKey), signature);
}
