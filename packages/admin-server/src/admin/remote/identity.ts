import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContext, type TlsOptions } from "node:tls";
import { errorAt, messageOf, ServerError } from "../../core/errors.ts";
import type { IdentityConfig } from "./remote-config.ts";

interface Credential {
  readonly certificate: X509Certificate;
  readonly context: SecureContext;
  readonly cert: Buffer;
  readonly key: Buffer;
}

async function readCredential(files: {
  readonly certificate: string;
  readonly key: string;
}): Promise<Credential> {
  try {
    const [cert, key] = await Promise.all([readFile(files.certificate), readFile(files.key)]);
    // The context checks that certificate and key belong together.
    const context = createSecureContext({ cert, key, minVersion: "TLSv1.2" });
    return { certificate: new X509Certificate(cert), context, cert, key };
  } catch (error) {
    throw new ServerError("MODULE_CONFIG", `identity: ${files.certificate}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/**
 * Reads the certificates by which the server proves who it is.
 * @returns what a TLS endpoint needs; undefined where the config names none
 * @throws ServerError MODULE_CONFIG naming the file
 */
export async function readIdentity(
  config: IdentityConfig | null | undefined,
): Promise<TlsOptions | undefined> {
  const credentials: Credential[] = [];
  for (const [position, files] of (config?.certificates ?? []).entries()) {
    try {
      credentials.push(await readCredential(files));
    } catch (error) {
      throw errorAt(`/config/admin/identity/certificates/${position}`, error);
    }
  }
  const [first] = credentials;
  if (first === undefined) {
    return undefined;
  }
  return {
    cert: first.cert,
    key: first.key,
    minVersion: "TLSv1.2",
    SNICallback(name, answer) {
      const fitting = credentials.find(({ certificate }) => certificate.checkHost(name) !== undefined);
      answer(null, (fitting ?? first).context);
    },
  };
}
