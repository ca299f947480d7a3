import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestCertificate } from "./test-certificates.ts";

/**
 * A folder of TLS files with the layout of a secret in Kubernetes: links to `..data`, which is a link to the current
 * version.
 */
export interface TlsFolder {
  readonly path: string;
  readonly certPath: string;
  readonly keyPath: string;
  readonly caPath: string;
  /** Replaces all files at once. */
  swap(pair: TestCertificate, ca: string): void;
  remove(): void;
}

/** Makes such a folder in the system's temporary folder. For tests only. */
export function createTlsFolder(pair: TestCertificate, ca: string): TlsFolder {
  const path = mkdtempSync(join(tmpdir(), "tls-files-"));
  let version = 0;
  const swap = (next: TestCertificate, nextCa: string) => {
    const folder = `..version-${++version}`;
    mkdirSync(join(path, folder));
    writeFileSync(join(path, folder, "tls.crt"), next.cert);
    writeFileSync(join(path, folder, "tls.key"), next.key);
    writeFileSync(join(path, folder, "ca.crt"), nextCa);
    symlinkSync(folder, join(path, "..data_tmp"));
    renameSync(join(path, "..data_tmp"), join(path, "..data"));
  };
  swap(pair, ca);
  for (const name of ["tls.crt", "tls.key", "ca.crt"]) {
    symlinkSync(join("..data", name), join(path, name));
  }
  return {
    path,
    certPath: join(path, "tls.crt"),
    keyPath: join(path, "tls.key"),
    caPath: join(path, "ca.crt"),
    swap,
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
