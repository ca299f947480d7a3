import type { SecureContextOptions } from "node:tls";
import type { TlsVersion } from "./tls-options.ts";

/** TLS files of a listener. The files are checked, and belong together. */
export interface ServerTlsMaterial {
  /** Certificate, PEM, followed by the intermediate certificates up to the root. */
  readonly cert: Buffer;
  /** Private key, PEM, without passphrase. */
  readonly key: Buffer;
  /** CAs for client certificates, PEM. If present, each client must send a certificate from one of these CAs. */
  readonly clientCa?: Buffer;
  /** Cipher suites by OpenSSL's names; absent: Node's default. */
  readonly ciphers?: string;
  /** Minimum TLS version. Handshakes with an older version fail. */
  readonly minVersion: TlsVersion;
  /** Maximum TLS version. No handshake uses a newer version. */
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
