import { StartError } from "../errors.ts";

/** Jaeger's names (constants of Go) → OpenSSL's names for the suites up to TLS 1.2. */
const opensslNames: ReadonlyMap<string, string> = new Map([
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
]);

/** Suites of TLS 1.3 have the same name in Go and in OpenSSL. */
const tls13Suites: readonly string[] = [
  "TLS_AES_128_GCM_SHA256",
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
];

/** The names that are valid in `<prefix>.tls.cipher-suites`. Source: Go documentation, crypto/tls, CipherSuites. */
export const cipherSuiteNames: readonly string[] = [...tls13Suites, ...opensslNames.keys()];

/**
 * Converts cipher suites from Go's names to OpenSSL's. If the list only has suites up to TLS 1.2, all suites of TLS 1.3
 * stay enabled, because Go cannot disable them either.
 * @param option name of the option, for the message
 * @returns undefined for an empty list: the suites that Node takes by default
 * @throws StartError for an unknown name
 */
export function opensslCiphers(names: readonly string[], option: string): string | undefined {
  if (names.length === 0) {
    return undefined;
  }
  const tls12: string[] = [];
  const tls13: string[] = [];
  for (const name of names) {
    const older = opensslNames.get(name);
    if (older !== undefined) {
      tls12.push(older);
    } else if (tls13Suites.includes(name)) {
      tls13.push(name);
    } else {
      throw new StartError(
        `option --${option}: cipher suite "${name}" is not known: known are ${cipherSuiteNames.join(", ")}`,
      );
    }
  }
  return [...(tls13.length === 0 ? tls13Suites : tls13), ...tls12].join(":");
}
