import type { HashName } from "./hkdf.ts";

/** A cipher suite of TLS 1.3, with QUIC's additions. */
export interface CipherSuite {
  /** TLS number of the suite. */
  readonly id: number;
  /** OpenSSL's name of the cipher. */
  readonly cipher: "aes-128-gcm" | "aes-256-gcm" | "chacha20-poly1305";
  /** OpenSSL's name of the cipher for header masks. */
  readonly headerCipher: "aes-128-ecb" | "aes-256-ecb" | "chacha20";
  /** Hash of the key schedule. */
  readonly hash: HashName;
  /** Bytes of packet keys and of header keys. */
  readonly keyBytes: number;
  /** Maximum number of packets that one key may encrypt; the key is changed earlier. Source: RFC 9001, section 6.6 */
  readonly sealLimit: number;
  /** Maximum number of packets that may fail to decrypt; one more ends the connection. Source: RFC 9001, section 6.6 */
  readonly forgeryLimit: number;
}

export const aes128Gcm: CipherSuite = {
  id: 0x1301,
  cipher: "aes-128-gcm",
  headerCipher: "aes-128-ecb",
  hash: "sha256",
  keyBytes: 16,
  sealLimit: 2 ** 23,
  forgeryLimit: 2 ** 52,
};

export const aes256Gcm: CipherSuite = {
  id: 0x1302,
  cipher: "aes-256-gcm",
  headerCipher: "aes-256-ecb",
  hash: "sha384",
  keyBytes: 32,
  sealLimit: 2 ** 23,
  forgeryLimit: 2 ** 52,
};

export const chacha20Poly1305: CipherSuite = {
  id: 0x1303,
  cipher: "chacha20-poly1305",
  headerCipher: "chacha20",
  hash: "sha256",
  keyBytes: 32,
  // More than a connection can send.
  sealLimit: 2 ** 53 - 1,
  forgeryLimit: 2 ** 36,
};

export const cipherSuites: readonly CipherSuite[] = [aes128Gcm, aes256Gcm, chacha20Poly1305];
