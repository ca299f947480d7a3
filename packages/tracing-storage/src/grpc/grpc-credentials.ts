import { ServerCredentials } from "@grpc/grpc-js";
import { type ServerTls, secureContextOptions } from "lifecycle";
import { ReloadingServerCredentials } from "wire/grpc";

/**
 * Credentials of a gRPC server: plain text for undefined, otherwise TLS, with the certificate of the client required
 * where `tls` has authorities for it. New files are in force for new connections; they are watched until the server
 * that listens with these credentials is shut down.
 */
export function grpcCredentialsOf(tls: ServerTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const credentials = new ReloadingServerCredentials(secureContextOptions(tls.material), {
    requireClientCertificate: tls.material.clientCa !== undefined,
    unused: () => tls.close(),
  });
  tls.onChange((material) => credentials.use(secureContextOptions(material)));
  return credentials;
}
