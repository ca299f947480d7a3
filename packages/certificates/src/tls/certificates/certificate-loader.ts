import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { LoadedCertificate } from "../../material/loaded-certificate.ts";

/** Loads certificates that the server does not manage, for example from files. */
export interface CertificateLoader extends ModuleInstance {
  /** @throws ServerError CERTIFICATE naming the file */
  load(): Promise<LoadedCertificate[]>;
  /** Names that are to be managed. */
  readonly automate?: readonly string[];
}

/** Modules that load certificates from the sources in the config, such as files and folders. */
export const certificateLoaders: ModuleNamespace<CertificateLoader> = { prefix: "tls.certificates" };
