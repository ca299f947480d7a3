import type { SecureContextOptions } from "node:tls";
import type { TlsVersion } from "./tls-options.ts";

/** TLS files of a listener. They are checked and belong together. */
export interface ServerTlsMaterial {
  /** PEM: the certificate, followed by the intermediate certificates up to the root. */
  readonly cert: Buffer;
  /** PEM, without passphrase. */
  readonly key: Buffer;
  /** PEM; present: each client must show a certificate of these authorities. */
  readonly clientCa?: Buffer;
  /** OpenSSL's names; absent: Node's choice. */
  readonly ciphers?: string;
  /** Handshakes with an older version fail. */
  readonly minVersion: TlsVersion;
  /** Handshakes agree on nothing newer. */
  readonly maxVersion: TlsVersion;
}

/** Options of Node's servers and of gRPC's for new connections. */
export function secureContextOptions(material: ServerTlsMaterial): SecureContextOptions {
  return {
    cert: material.cert,
    key: material.key,
    ...(material.clientCa === undefined ? {} : { ca: material.clientCa }),
    ...(material.ciphers === undefined ? {} : { ciphers: material.ciphers }),
    minVersion: material.minVersion,
    maxVersion: material.maxVersion,
  };
}
