import type { SecureContextOptions } from "node:tls";
import type { TlsVersion } from "./tls-options.ts";

/** TLS files of a listener. They are checked and belong together. */
export interface ServerTlsMaterial {
  /** Certificate, PEM, followed by the intermediate certificates up to the root. */
  readonly cert: Buffer;
  /** Private key, PEM, without passphrase. */
  readonly key: Buffer;
  /** Authorities, PEM. When present, each client must have a certificate of these authorities. */
  readonly clientCa?: Buffer;
  /** Cipher suites by OpenSSL's names; absent: Node's default. */
  readonly ciphers?: string;
  /** Minimum TLS version. Handshakes with an older version fail. */
  readonly minVersion: TlsVersion;
  /** Maximum TLS version. Handshakes agree on this version or an older one. */
  readonly maxVersion: TlsVersion;
}

/** TLS options for new connections, for servers of Node and of gRPC. */
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
