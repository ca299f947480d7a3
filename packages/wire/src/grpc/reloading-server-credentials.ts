import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";

/** Time limit in milliseconds for a TLS handshake; later the connection is closed. */
const handshakeTimeoutMs = 10_000;

export interface ReloadingCredentialsSettings {
  /** True when each client must present a certificate of a CA in the context's `ca`. */
  readonly requireClientCertificate: boolean;
  /** Called when the last server that uses these credentials is shut down. */
  readonly unused?: () => void;
}

/**
 * Credentials of a gRPC server with TLS whose certificates may change. The two classes of grpc-js with the same base
 * class are not enough. `ServerCredentials.createSsl` cannot reload, and the experimental certificate providers support
 * neither TLS versions nor cipher suites.
 */
export class ReloadingServerCredentials extends ServerCredentials {
  readonly #unused: () => void;

  /** @param context options of Node's `createSecureContext`: certificate, key, CAs, TLS versions, cipher suites */
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
   * Uses another context for new connections; open connections continue with the old context. The context must contain
   * all options.
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
