import { X509Certificate } from "node:crypto";
import { messageOf, ServerError } from "server-core/errors";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Authorities that are trusted. */
export interface CaPool extends ModuleInstance {
  /** PEM texts with one certificate each. @throws ServerError CERTIFICATE with the source */
  load(): Promise<string[]>;
}

/** Modules that determine the trusted CAs. */
export const caPools: ModuleNamespace<CaPool> = { prefix: "tls.ca_pool.source" };

/**
 * A certificate from its form in configs, DER in base64. @throws ServerError CERTIFICATE with its position in the
 * config
 */
export function certificateFromBase64(text: string, source: string): X509Certificate {
  try {
    return new X509Certificate(Buffer.from(text, "base64"));
  } catch (error) {
    throw new ServerError("CERTIFICATE", `${source}: not a certificate, DER in base64: ${messageOf(error)}`);
  }
}
