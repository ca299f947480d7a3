import { createRequire } from "node:module";
import type { Plugin } from "rolldown";

const require = createRequire(import.meta.url);

/** Parts of Node that cost megabytes, and that a process mostly does without: loaded when something of them is used. */
const lazyBuiltins = [
  "assert",
  "child_process",
  "cluster",
  "crypto",
  "dns/promises",
  "https",
  "module",
  "perf_hooks",
  "tls",
  "tty",
  "worker_threads",
  "zlib",
];

/** The source of a module that has the names of another one, and loads it when one of them is used. */
function lazyModule(load: string, names: readonly string[]): string {
  return `
const load = () => ${load};
module.exports = (...args) => load()(...args);
for (const name of ${JSON.stringify(names)}) {
  Object.defineProperty(module.exports, name, { get: () => load()[name], enumerable: true, configurable: true });
}`;
}

/** A package's file, as its owner finds it. */
export function pathOfPackage(name: string, owner: string, packageFolder: string): string {
  const own = createRequire(`${packageFolder}package.json`);
  return createRequire(owner === "" ? `${packageFolder}package.json` : own.resolve(owner)).resolve(name);
}

/** The name of the file that a lazy package becomes. */
export function lazyFileOf(packageName: string): string {
  return `${packageName.replace(/\W+/g, "-").replace(/^-/, "")}.cjs`;
}

/**
 * Loads parts of Node, and packages, when something of them is first used, not with the program.
 * @param packages name to the package that has it ("" is the program's own); each is to be a file of its own beside the
 *   program, see `lazyFileOf`
 * @param externals packages that stay in node_modules
 */
export function lazyModules(
  packageFolder: string,
  packages: ReadonlyMap<string, string>,
  externals: readonly string[],
): Plugin {
  const names = [...packages.keys(), ...externals];
  const alternatives = [`(?:node:)?(?:${lazyBuiltins.join("|")})`, ...names];
  return {
    name: "lazy-modules",
    resolveId: {
      filter: { id: new RegExp(`^(?:${alternatives.join("|")})$`) },
      handler: (id) => `\0lazy:${id.replace("node:", "")}`,
    },
    load: {
      filter: { id: /^\0lazy:/ },
      handler(id) {
        const name = id.slice("\0lazy:".length);
        const owner = packages.get(name) ?? (externals.includes(name) ? "" : undefined);
        const real: object = require(owner === undefined ? name : pathOfPackage(name, owner, packageFolder));
        const from = `process.getBuiltinModule("node:module").createRequire(__filename)`;
        const load =
          owner === undefined
            ? `process.getBuiltinModule(${JSON.stringify(`node:${name}`)})`
            : `${from}(${JSON.stringify(externals.includes(name) ? name : `./${lazyFileOf(name)}`)})`;
        return { code: lazyModule(load, Object.keys(real)), moduleType: "js" };
      },
    },
  };
}
