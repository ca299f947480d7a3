import {
  createECDH,
  createPublicKey,
  diffieHellman,
  encapsulate,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { alerts, tlsAlert } from "./tls-alert.ts";

export interface KeyExchangeGroup {
  /** TLS number of the group. */
  readonly id: number;
  /**
   * Computes the response to a client's public key.
   * @throws for a key that is not valid in this group
   */
  answer(clientShare: Buffer): { readonly share: Buffer; readonly secret: Buffer };
}

const x25519Bytes = 32;
const mlKem768Bytes = 1_184;
const p256Bytes = 65;

/** Imports a raw public key. Encoding it in DER first would take half as long as generating a key. */
const publicKey = (asymmetricKeyType: "x25519" | "ml-kem-768", key: Buffer): KeyObject =>
  createPublicKey({ key, format: "raw-public", asymmetricKeyType });

export const x25519: KeyExchangeGroup = {
  id: 0x001d,
  answer(clientShare) {
    if (clientShare.length !== x25519Bytes) {
      throw new RangeError("a key of X25519 has 32 bytes");
    }
    const pair = generateKeyPairSync("x25519");
    // Throws for keys of small order, whose shared secret anybody can compute.
    const secret = diffieHellman({
      privateKey: pair.privateKey,
      publicKey: publicKey("x25519", clientShare),
    });
    return { share: pair.publicKey.export({ format: "raw-public" }), secret };
  },
};

export const p256: KeyExchangeGroup = {
  id: 0x0017,
  answer(clientShare) {
    if (clientShare.length !== p256Bytes || clientShare[0] !== 4) {
      throw new RangeError("a key of P-256 has 65 bytes and is not compressed");
    }
    const own = createECDH("prime256v1");
    const share = own.generateKeys();
    return { share, secret: own.computeSecret(clientShare) };
  },
};

/** ML-KEM-768 and X25519 together: a recorded handshake cannot be decrypted later with a quantum computer. */
export const x25519MlKem768: KeyExchangeGroup = {
  id: 0x11ec,
  answer(clientShare) {
    if (clientShare.length !== mlKem768Bytes + x25519Bytes) {
      throw new RangeError("a key of X25519MLKEM768 has 1,216 bytes");
    }
    const kem = encapsulate(publicKey("ml-kem-768", clientShare.subarray(0, mlKem768Bytes)));
    const classic = x25519.answer(clientShare.subarray(mlKem768Bytes));
    return {
      share: Buffer.concat([kem.ciphertext, classic.share]),
      secret: Buffer.concat([kem.sharedKey, classic.secret]),
    };
  },
};

/** Supported groups, the best first. A client that sent a key for one of them needs no HelloRetryRequest. */
export const keyExchangeGroups: readonly KeyExchangeGroup[] = [x25519MlKem768, x25519, p256];

/** @throws QuicError illegal_parameter for an invalid public key */
export function answerKeyShare(
  group: KeyExchangeGroup,
  clientShare: Buffer,
): { readonly share: Buffer; readonly secret: Buffer } {
  try {
    return group.answer(clientShare);
  } catch {
    throw tlsAlert(alerts.illegalParameter, `the key of group ${group.id} is none`);
  }
}
