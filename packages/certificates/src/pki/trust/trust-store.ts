import type { X509Certificate } from "node:crypto";
import { ServerError } from "server-core/errors";
import type { ProgramResult } from "./machine.ts";

/** A root certificate and the path of a file with it, for programs that read files. */
export interface RootFile {
  readonly certificate: X509Certificate;
  /** Path of a PEM file with the root. */
  readonly path: string;
}

/** A list of trusted roots of a machine or of one program on it. */
export interface TrustStore {
  /** Name of the store for logs: `system (/usr/local/share/ca-certificates)`. */
  readonly name: string;
  /** @throws ServerError CERTIFICATE */
  install(root: RootFile): Promise<void>;
  /** A missing root is not an error. @throws ServerError CERTIFICATE */
  remove(root: RootFile): Promise<void>;
}

/** Common name of the subject; `Development CA` for a subject without one. */
function commonName(certificate: X509Certificate): string {
  return /^CN=(.+)$/m.exec(certificate.subject)?.[1] ?? "Development CA";
}

/** Name of a root in trust stores. Caddy's trust store library uses the same name. */
export function storeName(certificate: X509Certificate): string {
  return `${commonName(certificate)} ${BigInt(`0x${certificate.serialNumber}`)}`;
}

/** @throws ServerError CERTIFICATE with the output of a program that failed */
export function checkResult(what: string, { code, output }: ProgramResult): void {
  if (code !== 0) {
    throw new ServerError("CERTIFICATE", `${what}: exit code ${code}: ${output.trim().slice(0, 500)}`);
  }
}
