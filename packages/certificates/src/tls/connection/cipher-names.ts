/** IANA names of cipher suites → OpenSSL's names. Source: Caddy's list; `openssl ciphers -stdname` */
export const cipherNames: ReadonlyMap<string, string> = new Map([
  ["TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"],
  ["TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"],
  ["TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
]);

/** Numbers of the same suites in the TLS protocol. Source: IANA, "TLS Cipher Suites" */
export const cipherIds: ReadonlyMap<string, number> = new Map([
  ["TLS_AES_128_GCM_SHA256", 0x1301],
  ["TLS_AES_256_GCM_SHA384", 0x1302],
  ["TLS_CHACHA20_POLY1305_SHA256", 0x1303],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", 0xc02c],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", 0xc030],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 0xc02b],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", 0xc02f],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", 0xcca9],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", 0xcca8],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", 0xc00a],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", 0xc014],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", 0xc009],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", 0xc013],
]);

/** Suites of TLS 1.3; OpenSSL's list contains them too. */
const tls13 = [...cipherNames.values()].filter((name) => name.startsWith("TLS_"));

/** Only suites with forward secrecy and authenticated encryption. */
export const defaultCiphers = [...cipherNames.values()].filter((name) => !name.endsWith("-SHA")).join(":");

/** Cipher suites in OpenSSL's form. If the config names no suite of TLS 1.3, all of them remain. */
export function cipherList(names: readonly string[] | null | undefined): string {
  if (!names?.length) {
    return defaultCiphers;
  }
  const chosen = names.map((name) => cipherNames.get(name) ?? name);
  return [...(chosen.some((name) => tls13.includes(name)) ? [] : tls13), ...chosen].join(":");
}

/** Names of curves in configs → OpenSSL's names. */
export const groupNames: ReadonlyMap<string, string> = new Map([
  ["x25519mlkem768", "X25519MLKEM768"],
  ["x25519", "X25519"],
  ["secp256r1", "P-256"],
  ["secp384r1", "P-384"],
  ["secp521r1", "P-521"],
]);
