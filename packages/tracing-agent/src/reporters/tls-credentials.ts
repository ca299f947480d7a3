import * as tls from "node:tls";
import { ChannelCredentials, type ChannelOptions, experimental } from "@grpc/grpc-js";
import type { ClientTls, ClientTlsMaterial } from "lifecycle";

/** Credentials of a gRPC client, and the options of the channel that go with them. */
export interface ClientCredentials {
  readonly credentials: ChannelCredentials;
  readonly channelOptions: ChannelOptions;
}

/**
 * Gives what was read from files to grpc-js, each time it changes. One channel after another may use it, so it keeps
 * its listeners in sets of its own.
 */
class MaterialProvider implements experimental.CertificateProvider {
  readonly #tls: ClientTls;
  readonly #caListeners = new Set<experimental.CaCertificateUpdateListener>();
  readonly #identityListeners = new Set<experimental.IdentityCertificateUpdateListener>();

  constructor(clientTls: ClientTls) {
    this.#tls = clientTls;
    clientTls.onChange((material) => {
      for (const listener of this.#identityListeners) listener(identityOf(material));
      for (const listener of this.#caListeners) listener({ caCertificate: authoritiesOf(material) });
    });
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#caListeners.add(listener);
    process.nextTick(listener, { caCertificate: authoritiesOf(this.#tls.material) });
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#identityListeners.add(listener);
    process.nextTick(listener, identityOf(this.#tls.material));
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#identityListeners.delete(listener);
  }
}

function identityOf({ cert, key }: ClientTlsMaterial): experimental.IdentityCertificateUpdate | null {
  return cert === undefined || key === undefined ? null : { certificate: cert, privateKey: key };
}

/** The authorities of the options, or those that Node and the system trust: grpc-js has no such default here. */
function authoritiesOf({ ca }: ClientTlsMaterial): Buffer {
  return ca ?? Buffer.from(usualAuthorities().join("\n"));
}

/** Node 22.15 and later also has those of the system. */
function usualAuthorities(): readonly string[] {
  const all = new Set(tls.rootCertificates);
  if (typeof tls.getCACertificates === "function") {
    for (const kind of ["default", "system"] as const) {
      for (const certificate of tls.getCACertificates(kind)) all.add(certificate);
    }
  }
  return [...all];
}

/**
 * Credentials of a gRPC client: plain text for undefined, otherwise TLS. New files are in force for new connections;
 * whoever opened `clientTls` closes it.
 */
export function channelCredentialsOf(clientTls: ClientTls | undefined): ClientCredentials {
  if (clientTls === undefined) {
    return { credentials: ChannelCredentials.createInsecure(), channelOptions: {} };
  }
  const { cert, serverName, skipHostVerify } = clientTls.material;
  const provider = new MaterialProvider(clientTls);
  return {
    credentials: experimental.createCertificateProviderChannelCredentials(
      provider,
      cert === undefined ? null : provider,
      skipHostVerify ? { rejectUnauthorized: false, checkServerIdentity: () => undefined } : {},
    ),
    channelOptions: serverName === undefined ? {} : { "grpc.ssl_target_name_override": serverName },
  };
}
