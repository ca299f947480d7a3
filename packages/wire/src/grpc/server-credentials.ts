import type { SecureContextOptions } from "node:tls";
import { ServerCredentials } from "@grpc/grpc-js";
import { ReloadingServerCredentials } from "./reloading-server-credentials.ts";

/** Certificates of a listener, which may change. */
export interface ChangingMaterial<Material> {
  readonly material: Material;
  /** Registers a function that gets the certificates for new connections after each change. */
  onChange(use: (material: Material) => void): void;
  /** Stops watching the files. */
  close(): void;
}

/**
 * Credentials of a gRPC server. Without `tls` they mean plain text; otherwise TLS, with required client certificates
 * when `tls` has CAs for clients. New connections use the newest files. The files are watched until the server shuts
 * down.
 * @param contextOf converts the certificates to options of Node's `createSecureContext`
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
