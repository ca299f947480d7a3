import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import { ReloadingServerCredentials } from "./reloading-server-credentials.ts";

/** Certificates of a listener, as they are and as they become. */
export interface ChangingMaterial<Material> {
  readonly material: Material;
  /** Called with what is in force for new connections from then on. */
  onChange(use: (material: Material) => void): void;
  /** Nobody asks any more. */
  close(): void;
}

/**
 * Credentials of a gRPC server: plain text for undefined, otherwise TLS, with the certificate of the client required
 * where `tls` has authorities for it. New files are in force for new connections; they are watched until the server
 * that listens with these credentials is shut down.
 * @param contextOf what Node's `createSecureContext` takes
 */
export function serverCredentialsOf<Material extends { readonly clientCa?: Buffer }>(
  tls: ChangingMaterial<Material> | undefined,
  contextOf: (material: Material) => SecureContextOptions,
): ServerCredentials {
  if (tls === undefined) {
    return ServerCredentials.createInsecure();
  }
  const credentials = new ReloadingServerCredentials(contextOf(tls.material), {
    requireClientCertificate: tls.material.clientCa !== undefined,
    unused: () => tls.close(),
  });
  tls.onChange((material) => credentials.use(contextOf(material)));
  return credentials;
}
