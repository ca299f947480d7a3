import { statSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ModuleApi } from "../modules/module-registry.ts";

/** URLs of the parts of this program that modules may import, by the name that they import. */
const apis = new Map<string, string>();
const scheme = "server-module:";

const require = createRequire(import.meta.url);
const importNatively = require(fileURLToPath(new URL("./import-natively.cts", import.meta.url))) as (
  specifier: string,
) => Promise<unknown>;

/** Identifies the state of a file: a changed file is imported again, an unchanged file is not. */
function versionOf(url: string): string {
  const stats = statSync(fileURLToPath(url));
  if (!stats.isFile()) {
    throw new Error(`${fileURLToPath(url)} is no regular file`); // reading a pipe would stop the thread
  }
  const { mtimeMs, size } = stats;
  return `${Math.trunc(mtimeMs)}-${size}`;
}

/**
 * The result of the first folder that has the module. @throws the error of the first folder when no folder has the
 * module
 */
function resolveIn<Resolved>(
  [first = "", ...others]: readonly string[],
  resolve: (folder: string) => Resolved,
): Resolved {
  try {
    return resolve(first);
  } catch (error) {
    for (const folder of others) {
      try {
        return resolve(folder);
      } catch {
        // The first error names the folder in which a user expects the module.
      }
    }
    throw error;
  }
}

let isHooked = false;
let imports = 0;

function hookOnce(): void {
  if (isHooked) {
    return;
  }
  isHooked = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = apis.get(specifier);
      // The file behind a name may re-export the package of the same name.
      if (url !== undefined && context.parentURL !== url) {
        return { url, shortCircuit: true };
      }
      if (!specifier.startsWith(scheme)) {
        return nextResolve(specifier, context);
      }
      const [, name = "", ...folders] = specifier.slice(scheme.length).split("|").map(decodeURIComponent);
      const resolved = resolveIn(folders, (folder) =>
        nextResolve(name, { ...context, parentURL: pathToFileURL(join(folder, "_")).href }),
      );
      const isOwnFile = resolved.url.startsWith("file:") && !resolved.url.includes("/node_modules/");
      return isOwnFile ? { ...resolved, url: `${resolved.url}?v=${versionOf(resolved.url)}` } : resolved;
    },
  });
}

/**
 * Imports a file or an npm package by its name, like an `import` in a file of the first folder. A file that changed
 * since its last import is imported again; files that it imports are not.
 * @param folders the working folder, then folders that are searched for packages only
 * @param api the part of this program that the module may import
 * @returns the namespace object. @throws whatever the module throws
 */
export function importModule(
  name: string,
  [folder = "", ...others]: readonly string[],
  api: ModuleApi | undefined,
): Promise<unknown> {
  hookOnce();
  if (api !== undefined) {
    for (const each of api.names) {
      apis.set(each, api.url);
    }
  }
  // Each specifier contains a new number, because the loader caches the result of a specifier.
  const isPackage = !name.startsWith(".") && !isAbsolute(name);
  const parts = [name, folder, ...(isPackage ? others : [])].map(encodeURIComponent);
  return importNatively(`${scheme}${imports++}|${parts.join("|")}`);
}
