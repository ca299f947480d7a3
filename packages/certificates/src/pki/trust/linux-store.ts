import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Machine } from "./machine.ts";
import { findProgram, runPrivileged } from "./machine.ts";
import { checkResult, storeName, type TrustStore } from "./trust-store.ts";

/**
 * Folders of trusted roots, each with the program that updates the system's list from the folder. Source: the trust
 * store library of Caddy
 */
const layouts = [
  { folder: "etc/pki/ca-trust/source/anchors", ending: "pem", update: ["update-ca-trust", "extract"] },
  { folder: "usr/local/share/ca-certificates", ending: "crt", update: ["update-ca-certificates"] },
  { folder: "usr/share/pki/trust/anchors", ending: "crt", update: ["update-ca-certificates"] },
  { folder: "etc/ca-certificates/trust-source/anchors", ending: "crt", update: ["trust", "extract-compat"] },
] as const;

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** The store of a Linux system; undefined for a system with none of the known folders. */
export async function linuxStore(machine: Machine): Promise<TrustStore | undefined> {
  for (const { folder, ending, update } of layouts) {
    const path = join(machine.root, folder);
    if (!(await isFolder(path))) {
      continue;
    }
    const [program, ...args] = update;
    const refresh = async () => {
      const found = (await findProgram(machine, program)) ?? program;
      checkResult(update.join(" "), await runPrivileged(machine, found, args));
    };
    return {
      name: `system (${path})`,
      async install({ certificate }) {
        const file = join(path, `${storeName(certificate).replace(/[ /]/g, "_")}.${ending}`);
        const pem = certificate.toString();
        checkResult(`writing ${file}`, await runPrivileged(machine, "tee", [file], pem));
        await refresh();
      },
      async remove({ certificate }) {
        const file = join(path, `${storeName(certificate).replace(/[ /]/g, "_")}.${ending}`);
        checkResult(`removing ${file}`, await runPrivileged(machine, "rm", ["-f", file]));
        await refresh();
      },
    };
  }
  return undefined;
}
