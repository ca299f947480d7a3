import { ServerCredentials } from "@grpc/grpc-js";
import { type ServerTls, type ServerTlsMaterial, secureContextOptions } from "lifecycle";

/** A client that says hello and then nothing must not hold a connection. */
const handshakeTimeoutMs = 10_000;

/**
 * Credentials over files that reload. `createSsl` cannot reload, and the experimental certificate providers of grpc-js
 * know neither versions of TLS nor a choice of cipher suites; both are made of this same class.
 */
class ReloadingServerCredentials extends ServerCredentials {
  readonly #tls: ServerTls;

  constructor(tls: ServerTls) {
    const { clientCa } = tls.material;
    super(
      {
        requestCert: clientCa !== undefined,
        rejectUnauthorized: clientCa !== undefined,
        handshakeTimeout: handshakeTimeoutMs,
      },
      secureContextOptions(tls.material),
    );
    this.#tls = tls;
    tls.onChange((material: ServerTlsMaterial) =>
      this.updateSecureContextOptions(secureContextOptions(material)),
    );
  }

  override _removeWatcher(watcher: Parameters<ServerCredentials["_removeWatcher"]>[0]): void {
    super._removeWatcher(watcher);
    if (this.getWatcherCount() === 0) {
      this.#tls.close();
    }
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/**
 * Credentials of a gRPC server: plain text for undefined, otherwise TLS, with the certificate of the client required
 * where `tls` has authorities for it. New files are in force for new connections; they are watched until the server
 * that listens with these credentials is shut down.
 */
export function grpcCredentialsOf(tls: ServerTls | undefined): ServerCredentials {
  return tls === undefined ? ServerCredentials.createInsecure() : new ReloadingServerCredentials(tls);
}
