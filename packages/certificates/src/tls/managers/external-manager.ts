import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { LoadedCertificate } from "../../material/loaded-certificate.ts";

/** An external service that provides certificates and renews them. */
export interface ExternalManager extends ModuleInstance {
  /**
   * Requests the certificate for the server name of a client's handshake.
   * @param name DNS name in lower case, or an IP address
   * @returns undefined when the service has no certificate for the name
   * @throws ServerError CERTIFICATE
   */
  get(name: string): Promise<LoadedCertificate | undefined>;
}

/** Modules that request a certificate from an external service during a handshake. */
export const externalManagers: ModuleNamespace<ExternalManager> = { prefix: "tls.get_certificate" };
