import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { Plugin } from "rolldown";
import { exportedNames } from "./exported-names.ts";

/** Parts of Node that cost megabytes and that most processes never use: each loads with its first use. */
const lazyBuiltins = [
  "assert",
  "child_process",
  "cluster",
  "crypto",
  "dns/promises",
  "dgram",
  "http2",
  "https",
  "inspector/promises",
  "module",
  "perf_hooks",
  "tls",
  "tty",
  "worker_threads",
  "zlib",
];

/** A module that loads with its first use. */
interface LazyModule {
  /** JavaScript whose value is the module's exports. */
  readonly load: string;
  /** File whose text names the exports. */
  readonly path: string;
}

/** The modules that a program's build loads lazily. */
export interface LazyOptions {
  /** Folder with a final slash. */
  readonly packageFolder: string;
  /**
   * Names of packages, each with the package that depends on it: "" is the program's package, "a > b" is the b of a.
   */
  readonly packages: Readonly<Record<string, string>>;
  /** Source files, relative to the package. */
  readonly files: readonly string[];
  /** Packages that stay in node_modules. */
  readonly externals: readonly string[];
}

const slugOf = (name: string) =>
  name
    .replace(/^(?:\.\.\/([^/]+)\/)?src\//, (_, sibling?: string) =>
      sibling === undefined ? "" : `${sibling}/`,
    )
    .replace(/\.ts$/, "")
    .replace(/\W+/g, "-")
    .replace(/^-/, "");

/** Path of a package's file, resolved from its owner: "a > b" is the b that a depends on. */
function pathOfPackage(name: string, owner: string, packageFolder: string): string {
  const owners = owner === "" ? [] : owner.split(" > ");
  const folder = owners.reduce((from, each) => {
    const paths = createRequire(join(from, "package.json")).resolve.paths(each) ?? [];
    const found = paths.map((path) => join(path, each)).find((path) => existsSync(path));
    if (found === undefined) {
      throw new Error(`${from} has no dependency ${each}`);
    }
    return realpathSync(found);
  }, packageFolder);
  return createRequire(join(folder, "package.json")).resolve(name);
}

/** Entries of the build for the lazy packages and source files: name to path. */
export function lazyEntries({ packageFolder, packages, files }: LazyOptions): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(packages).map(([name, owner]) => [
      slugOf(name),
      pathOfPackage(name, owner, packageFolder),
    ]),
    ...files.map((file) => [slugOf(file), resolve(packageFolder, file)]),
  ]);
}

/** Source of a module that exports the names of another module, and loads that module when a name is first used. */
function lazySource(load: string, names: readonly string[]): string {
  return `
let loaded;
const load = () => (loaded ??= ${load});
module.exports = (...args) => load()(...args);
for (const name of ${JSON.stringify(names)}) {
  Object.defineProperty(module.exports, name, { get: () => load()[name], enumerable: true, configurable: true });
}`;
}

/** Returns JavaScript that loads a file from the same folder. */
export const requireBeside = (specifier: string) =>
  `process.getBuiltinModule("node:module").createRequire(__filename)(${JSON.stringify(specifier)})`;

/** A plugin that loads parts of Node, packages and source files with their first use. */
export function lazyModules(options: LazyOptions): Plugin {
  const { packageFolder, packages, files, externals } = options;
  const entries = lazyEntries(options);
  const byName = new Map<string, LazyModule>([
    ...lazyBuiltins.map(
      (name) => [name, { load: `process.getBuiltinModule("node:${name}")`, path: `node:${name}` }] as const,
    ),
    ...externals.map(
      (name) => [name, { load: requireBeside(name), path: pathOfPackage(name, "", packageFolder) }] as const,
    ),
    ...Object.keys(packages).map((name) => {
      const path = entries[slugOf(name)] ?? "";
      return [name, { load: requireBeside(`./${slugOf(name)}.cjs`), path }] as const;
    }),
    ...files.map((file) => {
      const path = resolve(packageFolder, file);
      return [path, { load: requireBeside(`./${slugOf(file)}.cjs`), path }] as const;
    }),
  ]);
  return {
    name: "lazy-modules",
    async resolveId(id, importer) {
      if (importer === undefined) {
        return null;
      }
      const name = id.replace("node:", "");
      if (byName.has(name)) {
        return `\0lazy:${name}`;
      }
      // An import names a lazy file by its path, or as a file of a sibling package.
      const path = (await this.resolve(id, importer, { skipSelf: true }))?.id;
      return path !== undefined && byName.has(path) ? `\0lazy:${path}` : null;
    },
    load: {
      filter: { id: /^\0lazy:/ },
      handler(id) {
        const found = byName.get(id.slice("\0lazy:".length));
        if (found === undefined) {
          return null;
        }
        const { load, path } = found;
        return { code: lazySource(load, exportedNames(path)), moduleType: "js" };
      },
    },
  };
}
