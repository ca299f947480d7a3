import { createSecureContext } from "node:tls";
import { StartError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { opensslCiphers } from "./cipher-suites.ts";
import { certificatesOf, readKeyPair, readPemFile } from "./pem-file.ts";
import { type ServerTlsMaterial, secureContextOptions } from "./secure-context.ts";
import {
  anyTlsValueGiven,
  type ServerTlsOptions,
  type ServerTlsValues,
  serverTlsValues,
  tlsVersions,
} from "./tls-options.ts";
import { type WatchedMaterial, watchMaterial } from "./watched-material.ts";

/** TLS files of one listener. New connections use the newest files; open connections continue with the old files. */
export type ServerTls = WatchedMaterial<ServerTlsMaterial>;

function readMaterial(values: ServerTlsValues, prefix: string, log: Logger): ServerTlsMaterial {
  const { cert, key, certificate } = readKeyPair(values.cert, values.key, prefix);
  const clientCaPath = values["client-ca"];
  let clientCa: Buffer | undefined;
  if (clientCaPath !== "") {
    clientCa = readPemFile(clientCaPath, `${prefix}.tls.client-ca`);
    certificatesOf(clientCa, clientCaPath, `${prefix}.tls.client-ca`);
  }
  const minVersion = values["min-version"] ?? "TLSv1.2";
  let ciphers = opensslCiphers(values["cipher-suites"], `${prefix}.tls.cipher-suites`);
  if (minVersion === "TLSv1" || minVersion === "TLSv1.1") {
    // OpenSSL 3 allows the SHA-1 signatures of these handshakes only at its security level 0.
    ciphers = `${ciphers ?? "DEFAULT"}:@SECLEVEL=0`;
  }
  const material: ServerTlsMaterial = {
    cert,
    key,
    ...(clientCa === undefined ? {} : { clientCa }),
    ...(ciphers === undefined ? {} : { ciphers }),
    minVersion,
    maxVersion: values["max-version"] ?? "TLSv1.3",
  };
  try {
    createSecureContext(secureContextOptions(material));
  } catch (error) {
    throw new StartError(`${prefix}.tls: ${(error as Error).message}`, { cause: error });
  }
  if (certificate.validToDate.getTime() < Date.now()) {
    log.warn(`${prefix}.tls.cert: the certificate in ${values.cert} expired on ${certificate.validTo}`);
  }
  return material;
}

function sameBytes(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/**
 * Opens the TLS files of a listener, from its options `<prefix>.tls.*`, and watches them until `close`.
 * @param options parsed by a schema that includes `serverTlsOptions(prefix)`
 * @returns undefined when `<prefix>.tls.enabled` is false
 * @throws StartError for contradictory options, and for files that are unreadable or do not belong together
 */
export async function openServerTls<const Prefix extends string>(
  options: ServerTlsOptions<Prefix>,
  prefix: Prefix,
  log: Logger,
): Promise<ServerTls | undefined> {
  const values = serverTlsValues(options, prefix);
  if (!values.enabled) {
    if (anyTlsValueGiven(values)) {
      throw new StartError(`${prefix}.tls.* options cannot be used when ${prefix}.tls.enabled is false`);
    }
    return undefined;
  }
  if (values.cert === "" || values.key === "") {
    throw new StartError(
      `--${prefix}.tls.enabled needs the certificate and the key of this server: --${prefix}.tls.cert and --${prefix}.tls.key`,
    );
  }
  const { "min-version": min = "TLSv1.2", "max-version": max = "TLSv1.3" } = values;
  if (tlsVersions.indexOf(min) > tlsVersions.indexOf(max)) {
    throw new StartError(
      `--${prefix}.tls.min-version: ${min} is above the highest version that is allowed, ${max} (--${prefix}.tls.max-version)`,
    );
  }
  return watchMaterial({
    what: `TLS of ${prefix}`,
    paths: [values.cert, values.key, values["client-ca"]].filter((path) => path !== ""),
    pollMs: values["reload-interval"],
    read: () => readMaterial(values, prefix, log),
    same: (one, other) =>
      one.cert.equals(other.cert) && one.key.equals(other.key) && sameBytes(one.clientCa, other.clientCa),
    log,
  });
}
