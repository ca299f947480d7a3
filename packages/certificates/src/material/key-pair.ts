import { createPrivateKey, generateKeyPair as generate, type KeyObject, type webcrypto } from "node:crypto";
import { promisify } from "node:util";
import { messageOf, ServerError } from "server-core/errors";

export const keyTypes = ["ed25519", "p256", "p384", "rsa2048", "rsa4096"] as const;

/** `p256` is the default of policies. RSA is for clients without support of elliptic curves. */
export type KeyType = (typeof keyTypes)[number];

let lastRsaKey: Promise<unknown> = Promise.resolve();

/**
 * RSA keys are made one after the other. An RSA key of 4096 bits occupies a thread of libuv's pool for seconds. Node
 * also reads files in that pool, and clients can make the server obtain certificates on demand.
 */
function makeRsaKey(modulusLength: number): Promise<KeyObject> {
  const made = lastRsaKey.then(async () => (await promisify(generate)("rsa", { modulusLength })).privateKey);
  lastRsaKey = made.catch(() => {});
  return made;
}

/** Makes a private key, in libuv's pool. */
export async function makeKey(type: KeyType): Promise<KeyObject> {
  switch (type) {
    case "ed25519":
      return (await promisify(generate)("ed25519")).privateKey;
    case "p256":
    case "p384":
      return (await promisify(generate)("ec", { namedCurve: type === "p256" ? "P-256" : "P-384" }))
        .privateKey;
    case "rsa2048":
    case "rsa4096":
      return makeRsaKey(type === "rsa2048" ? 2048 : 4096);
  }
}

/** PKCS #8, PEM. */
export function keyToPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** @param source names the file in the error. @throws ServerError CERTIFICATE, which never contains parts of the key */
export function keyFromPem(pem: string | Uint8Array, source: string): KeyObject {
  try {
    return createPrivateKey(Buffer.from(pem as Uint8Array));
  } catch (error) {
    throw new ServerError("CERTIFICATE", `${source}: not a private key in PEM: ${messageOf(error)}`);
  }
}

/** A key for the X.509 library, with the algorithm by which it signs. */
export interface SigningKey {
  /** Private for signing, public for verifying. */
  readonly key: webcrypto.CryptoKey;
  /** Algorithm for WebCrypto, with the hash if the kind of key does not determine it. */
  readonly algorithm: EcdsaParams | Algorithm;
}

interface Algorithm {
  readonly name: string;
}

interface EcdsaParams extends Algorithm {
  readonly hash: string;
}

/** @throws ServerError CERTIFICATE for kinds of keys that certificates cannot use */
export function webKey(key: KeyObject): SigningKey {
  const usages: webcrypto.KeyUsage[] = key.type === "private" ? ["sign"] : ["verify"];
  switch (key.asymmetricKeyType) {
    case "ed25519": {
      const algorithm = { name: "Ed25519" };
      return { key: key.toCryptoKey(algorithm, true, usages), algorithm };
    }
    case "ec": {
      const curve = key.asymmetricKeyDetails?.namedCurve;
      const named = curve === "secp384r1" ? "P-384" : curve === "secp521r1" ? "P-521" : "P-256";
      const hash = named === "P-384" ? "SHA-384" : named === "P-521" ? "SHA-512" : "SHA-256";
      return {
        key: key.toCryptoKey({ name: "ECDSA", namedCurve: named }, true, usages),
        algorithm: { name: "ECDSA", hash },
      };
    }
    case "rsa": {
      const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
      return { key: key.toCryptoKey(algorithm, true, usages), algorithm };
    }
    default:
      throw new ServerError("CERTIFICATE", `keys of type ${key.asymmetricKeyType} cannot be used`);
  }
}
