import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";

/** A client that connects and sends nothing more is cut after this time. */
const handshakeTimeoutMs = 10_000;

export interface ReloadingCredentialsSettings {
  /** Whether each client must show a certificate of the authorities in `ca` of the context. */
  readonly requireClientCertificate: boolean;
  /** Called when the last server that listens with these credentials is shut down. */
  readonly unused?: () => void;
}

/**
 * Credentials of a gRPC server over TLS whose certificates may change. `ServerCredentials.createSsl` cannot
 * reload. The experimental certificate providers of grpc-js support neither TLS versions nor cipher suites.
 * Both are built on this same class.
 */
export class ReloadingServerCredentials extends ServerCredentials {
  readonly #unused: () => void;

  /** @param context certificate, key, authorities, versions, suites: all that Node's `createSecureContext` takes */
  constructor(
    context: SecureContextOptions,
    { requireClientCertificate, unused = () => {} }: ReloadingCredentialsSettings,
  ) {
    super(
      {
        requestCert: requireClientCertificate,
        rejectUnauthorized: requireClientCertificate,
        handshakeTimeout: handshakeTimeoutMs,
      },
      context,
    );
    this.#unused = unused;
  }

  /**
   * Uses another context for new connections; open connections keep the old one. The context must be
   * complete.
   */
  use(context: SecureContextOptions): void {
    this.updateSecureContextOptions(context);
  }

  override _removeWatcher(watcher: Parameters<ServerCredentials["_removeWatcher"]>[0]): void {
    super._removeWatcher(watcher);
    if (this.getWatcherCount() === 0) {
      this.#unused();
    }
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}
