// Folders for a change, next to each other in the server's data folder:
//
// | folder | made by | removed by |
// |---|---|---|
// | `packages` | the first `add-package` | no command |
// | `packages.new` | each change, as a lock against other changes | the same change, even if it fails; after a kill, the user |
// | `packages.bak` | each change, from `packages` | the same change without `--keep-backup`, otherwise the next change |

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { StartError } from "lifecycle/errors";
import { messageOf } from "server-core/errors";
import { registryFor } from "server-core/user-modules/load-user-modules";
import { packageFolder } from "server-core/user-modules/package-folder";
import { allModules } from "../all-modules.ts";

/** An npm package with modules of the server. */
export interface ModulePackage {
  /** Name in configs, under `modules`. */
  readonly name: string;
  /** Installed version. */
  readonly version: string;
  /** Ids of the package's modules; empty for a package that cannot be loaded. */
  readonly ids: readonly string[];
  /** The reason why the package cannot be loaded; absent for a loaded package. */
  readonly fault?: string;
}

/** File of {@link readRanges}. */
const rangesFile = "ranges.json";

/**
 * The member of the folder's package.json that names the installed packages, each with its exact version or its
 * address.
 */
type Dependencies = Readonly<Record<string, string>>;

/**
 * The package's name in `name@version`; undefined for a path or an address, because the name is known only after the
 * installation.
 *
 *     nameOf("@me/greet@1.2.0"); // "@me/greet"
 *     nameOf("./own");           // undefined
 */
function nameOf(spec: string): string | undefined {
  return /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:@[^/:]*)?$/.exec(spec)?.[1];
}

/**
 * The range in `name@range`, which later upgrades stay in; undefined for an exact version, a tag, and no version.
 *
 *     rangeOf("greet@^1.2.0"); // "^1.2.0"
 *     rangeOf("greet@1.2.0");  // undefined
 */
function rangeOf(spec: string): string | undefined {
  const wanted = /^(?:@[\w.-]+\/)?[\w-][\w.-]*@([^/:]+)$/.exec(spec)?.[1]?.trim() ?? "";
  const isExact = /^=?v?\d+\.\d+\.\d+\S*$/.test(wanted) && !wanted.includes("|");
  const isRange = !isExact && /^(?:[\^~<>=*]|v?\d)/.test(wanted);
  return isRange ? wanted : undefined;
}

/** Makes a relative path absolute, because npm would resolve it from the copy of the folder. */
function withoutRelativePath(spec: string): string {
  return spec.startsWith(".") ? resolve(spec) : spec;
}

/**
 * The npm packages that the commands `add-package`, `remove-package` and `upgrade` manage. The folder has a
 * package.json with exact versions, npm's lockfile and `node_modules`. A change is made in a copy of the folder, which
 * replaces the folder after all modules in it have been loaded. A failed change therefore leaves the packages
 * unchanged.
 */
export class ModulePackages {
  readonly #folder: string;

  /** @param folder default: the folder that configs look into */
  constructor(folder: string = packageFolder(process.env)) {
    this.#folder = folder;
  }

  /** Lists the installed packages by name. This only reads, so it may run during a change. */
  async list(): Promise<ModulePackage[]> {
    return await describePackages(existsSync(this.#folder) ? this.#folder : `${this.#folder}.bak`);
  }

  /**
   * Installs packages.
   * @param specs arguments for `npm install`: `name`, `name@version`, the path of a folder or an archive, or an address
   * @param keepBackup true: the old folder stays as `packages.bak`
   * @returns the added packages
   * @throws StartError for a package that is already installed, cannot be installed, or has no module
   */
  async add(specs: readonly string[], keepBackup: boolean): Promise<ModulePackage[]> {
    return await this.#change(keepBackup, async (folder, before) => {
      const present = specs.filter((spec) => Object.hasOwn(before, nameOf(spec) ?? ""));
      if (present.length > 0) {
        throw new StartError(`already added: ${present.join(", ")}; server upgrade gets newer versions`);
      }
      await runNpm(folder, ["install", ...installOptions, "--", ...specs.map(withoutRelativePath)]);
      const after = await readDependencies(folder);
      const added = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
      if (added.length < specs.length) {
        throw new StartError(`a package of ${specs.join(", ")} is installed already`);
      }
      await writeRanges(folder, (ranges) => {
        for (const spec of specs) {
          const [name, range] = [nameOf(spec), rangeOf(spec)];
          if (name !== undefined && range !== undefined) {
            ranges[name] = range;
          }
        }
      });
      return added;
    });
  }

  /**
   * Removes packages.
   * @param names names as in the result of `list`
   * @throws StartError when one of the packages is not installed
   */
  async remove(names: readonly string[], keepBackup: boolean): Promise<void> {
    await this.#change(keepBackup, async (folder, before) => {
      const unknown = names.filter((name) => !Object.hasOwn(before, name));
      if (unknown.length > 0) {
        throw new StartError(`not added: ${unknown.join(", ")}`);
      }
      await runNpm(folder, ["uninstall", "--no-audit", "--no-fund", "--legacy-peer-deps", "--", ...names]);
      await writeRanges(folder, (ranges) => {
        for (const name of names) {
          delete ranges[name];
        }
      });
      return [];
    });
  }

  /**
   * Installs the latest version of each package from the registry, within the range that the package was added with. A
   * package from a path or an address is installed from there again.
   * @returns all packages
   */
  async upgrade(keepBackup: boolean): Promise<ModulePackage[]> {
    return await this.#change(keepBackup, async (folder, before) => {
      const names = Object.keys(before);
      const ranges = await readRanges(folder);
      const specs = names.map((name) =>
        /^\d/.test(before[name] ?? "") ? `${name}@${ranges[name] ?? "latest"}` : `${name}@${before[name]}`,
      );
      if (specs.length > 0) {
        // Without an empty cache, npm would use old answers when the registry is unreachable. The upgrade would then
        // silently find no newer version.
        const cache = join(folder, ".npm-cache");
        await runNpm(folder, ["install", ...installOptions, "--cache", cache, "--", ...specs]);
        await rm(cache, { recursive: true, force: true });
      }
      return names;
    });
  }

  /**
   * Makes one change in a copy of the folder. The folder of the copy is also a lock: if two commands run, the second
   * one fails immediately.
   * @param work changes the packages in the copy
   * @returns the packages that `work` names
   */
  async #change(
    keepBackup: boolean,
    work: (folder: string, before: Dependencies) => Promise<readonly string[]>,
  ): Promise<ModulePackage[]> {
    const copy = `${this.#folder}.new`;
    await mkdir(join(this.#folder, ".."), { recursive: true });
    try {
      await mkdir(copy, { mode: 0o700 });
    } catch (error) {
      const isBusy = (error as NodeJS.ErrnoException).code === "EEXIST";
      const why = isBusy
        ? "another command changes the packages; when none runs, remove this folder"
        : messageOf(error);
      throw new StartError(`${copy}: ${why}`, { cause: error });
    }
    try {
      await this.#restore();
      const before = await this.#copyTo(copy);
      const names = await work(copy, before);
      const packages = (await describePackages(copy)).filter(({ name }) => names.includes(name));
      const bad = packages.find(({ fault }) => fault !== undefined);
      if (bad !== undefined) {
        throw new StartError(`${bad.name} is no package with modules of this server: ${bad.fault}`);
      }
      await this.#replaceBy(copy, keepBackup);
      return packages;
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }

  /** Writes the files that `npm install` needs into the copy. @returns the installed packages */
  async #copyTo(copy: string): Promise<Dependencies> {
    const manifest = join(this.#folder, "package.json");
    if (!existsSync(manifest)) {
      await writeFile(join(copy, "package.json"), `${JSON.stringify({ private: true }, undefined, 2)}\n`);
      return {};
    }
    await copyFile(manifest, join(copy, "package.json"));
    for (const name of ["package-lock.json", rangesFile]) {
      if (existsSync(join(this.#folder, name))) {
        await copyFile(join(this.#folder, name), join(copy, name));
      }
    }
    return await readDependencies(this.#folder);
  }

  async #replaceBy(copy: string, keepBackup: boolean): Promise<void> {
    const backup = `${this.#folder}.bak`;
    await rm(backup, { recursive: true, force: true });
    if (existsSync(this.#folder)) {
      await rename(this.#folder, backup);
    }
    await rename(copy, this.#folder);
    if (!keepBackup) {
      await rm(backup, { recursive: true, force: true });
    }
  }

  /** If a command was killed between its two renames, only the backup exists. */
  async #restore(): Promise<void> {
    const backup = `${this.#folder}.bak`;
    if (!existsSync(this.#folder) && existsSync(backup)) {
      await rename(backup, this.#folder);
    }
  }
}

/**
 * - `--save-exact`: only `server upgrade` installs a new version
 * - `--ignore-scripts`: an installation runs no code of a package
 * - `--legacy-peer-deps`: `admin-server` is a peer of each module, but it is this program and must not be installed
 * - `--install-links`: a folder is copied, so that later changes in it do not affect the installed package
 */
const installOptions = [
  ...["--save", "--save-exact", "--ignore-scripts", "--legacy-peer-deps", "--install-links"],
  ...["--omit=dev", "--no-audit", "--no-fund"],
];

/**
 * Runs npm in a folder. Its output is shown only after a failure: the first five lines that start with `npm error`.
 * There is no time limit here, because npm has time limits for the network.
 * @throws StartError with npm's error lines
 */
async function runNpm(folder: string, args: readonly string[]): Promise<void> {
  const isWindows = process.platform === "win32"; // on Windows, npm is a script, which only a shell can run
  const child = spawn("npm", args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    shell: isWindows,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  let code: number | null;
  try {
    code = await ended;
  } catch (error) {
    throw new StartError(`packages need npm, which comes with Node, on the PATH: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (code !== 0) {
    const lines = (await output)[1].split("\n").filter((line) => line.startsWith("npm error"));
    const said = lines.slice(0, 5).join("\n");
    throw new StartError(`npm failed with code ${code}${said === "" ? "" : `:\n${said}`}`);
  }
}

async function readDependencies(folder: string): Promise<Dependencies> {
  const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly dependencies?: Dependencies;
  };
  return dependencies ?? {};
}

/**
 * Ranges that packages were added with, by name. They are in a separate file, because package.json contains only exact
 * versions.
 */
async function readRanges(folder: string): Promise<Record<string, string>> {
  const file = join(folder, rangesFile);
  return existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as Record<string, string>) : {};
}

async function writeRanges(folder: string, change: (ranges: Record<string, string>) => void): Promise<void> {
  const ranges = await readRanges(folder);
  change(ranges);
  await writeFile(join(folder, rangesFile), `${JSON.stringify(ranges, undefined, 2)}\n`);
}

/**
 * Reads the packages of a folder, sorted by name. Each is loaded together with the standard modules, so that a
 * duplicate id is found before a config names the package. A package that cannot be loaded has a fault; the other
 * packages are still described.
 */
async function describePackages(folder: string): Promise<ModulePackage[]> {
  if (!existsSync(join(folder, "package.json"))) {
    return [];
  }
  const standard = allModules();
  const packages: ModulePackage[] = [];
  for (const name of Object.keys(await readDependencies(folder)).sort()) {
    const manifest = join(folder, "node_modules", name, "package.json");
    let version = "";
    try {
      ({ version } = JSON.parse(await readFile(manifest, "utf8")) as { readonly version: string });
      const { listed } = await registryFor(standard, [name], [folder]);
      const own = listed.filter((each) => !standard.listed.includes(each));
      packages.push({ name, version, ids: own.map(({ id }) => id) });
    } catch (error) {
      packages.push({ name, version, ids: [], fault: messageOf(error) });
    }
  }
  return packages;
}
