import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { LoadedCertificate } from "../../material/loaded-certificate.ts";

/** An external source of certificates, which also renews them. */
export interface ExternalManager extends ModuleInstance {
  /**
   * Gets the certificate for a name that a client asks for.
   * @param name lower case, or an IP address
   * @returns undefined when it has none
   * @throws ServerError CERTIFICATE
   */
  get(name: string): Promise<LoadedCertificate | undefined>;
}

/** Modules that ask somebody else for a certificate during a handshake. */
export const externalManagers: ModuleNamespace<ExternalManager> = { prefix: "tls.get_certificate" };
