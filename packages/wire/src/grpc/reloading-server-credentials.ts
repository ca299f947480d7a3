import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";

/** Time limit in milliseconds: a connection without a complete TLS handshake is closed after it. */
const handshakeTimeoutMs = 10_000;

export interface ReloadingCredentialsSettings {
  /** True when each client must present a certificate of a CA in the context's `ca`. */
  readonly requireClientCertificate: boolean;
  /** Called when the last server with these credentials is shut down. */
  readonly unused?: () => void;
}

/**
 * Credentials of a gRPC server over TLS whose certificates may change. grpc-js has two alternatives, which use the same
 * base class. `ServerCredentials.createSsl` cannot reload, and the experimental certificate providers support neither
 * TLS versions nor cipher suites.
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
   * Uses another context for new connections; open connections keep the old one. The context must contain all options.
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
