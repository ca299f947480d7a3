import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, type Machine, runProgram } from "./machine.ts";
import { checkResult, storeName, type TrustStore } from "./trust-store.ts";

/** Folders of Firefox profiles, below the home folder; each profile may contain a database. */
const profileFolders: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [".mozilla/firefox", "snap/firefox/common/.mozilla/firefox"],
  darwin: ["Library/Application Support/Firefox/Profiles"],
};

/** Folder of Chromium's database, below the home folder. */
const sharedDatabase = ".pki/nssdb";

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Databases in certutil's notation. */
async function databases({ platform, environment }: Machine): Promise<string[]> {
  const home = environment.HOME ?? "";
  const folders = profileFolders[platform];
  if (home === "" || folders === undefined) {
    return [];
  }
  const candidates = [join(home, sharedDatabase)];
  for (const folder of folders) {
    const names = await readdir(join(home, folder)).catch(() => []);
    candidates.push(...names.map((name) => join(home, folder, name)));
  }
  const found: string[] = [];
  for (const folder of candidates) {
    if (await exists(join(folder, "cert9.db"))) {
      found.push(`sql:${folder}`);
    } else if (await exists(join(folder, "cert8.db"))) {
      found.push(`dbm:${folder}`);
    }
  }
  return found;
}

/** Databases of Firefox and Chromium, if their tool `certutil` is installed too. */
export async function nssStores(machine: Machine): Promise<TrustStore[]> {
  const certutil = await findProgram(machine, "certutil");
  if (certutil === undefined) {
    return [];
  }
  return (await databases(machine)).map((database): TrustStore => {
    const call = (...args: string[]) => runProgram(machine, certutil, [...args, "-d", database]);
    return {
      name: `NSS (${database})`,
      async install({ certificate, path }) {
        const name = storeName(certificate);
        checkResult("certutil -A", await call("-A", "-t", "C,,", "-n", name, "-i", path));
      },
      async remove({ certificate }) {
        const name = storeName(certificate);
        if ((await call("-L", "-n", name)).code === 0) {
          checkResult("certutil -D", await call("-D", "-n", name));
        }
      },
    };
  });
}
