import { cpSync, existsSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { Plugin } from "rolldown";

/** The form in which code names a file relative to itself: `new URL("./some/file", import.meta.url)`. */
const fileUrl = /new URL\(\s*"(\.{1,2}\/[^"]+)"\s*,\s*import\.meta\.url\s*,?\s*\)/g;

const isCode = (path: string) => [".ts", ".cts", ".mts"].includes(extname(path));

/**
 * Copies the files that code names relative to itself. Files and folders named as `new URL("…", import.meta.url)`
 * are copied to the program's folder, and the URL points to the copy. Code that is named in this way (a worker's
 * program) becomes a JavaScript file of the same name, which must be an entry of the build.
 * @param names names of copies by path of the original, for files and folders that need another name
 */
export function sideFiles(distFolder: string, names: ReadonlyMap<string, string>): Plugin {
  return {
    name: "side-files",
    transform: {
      filter: { code: /new URL\([^)]*import\.meta\.url/ },
      handler(code, id) {
        const replaced = code.replace(fileUrl, (whole, relative: string) => {
          const path = resolve(dirname(id), relative);
          if (isCode(path)) {
            const name = names.get(path) ?? `${basename(path, extname(path))}.cjs`;
            return `new URL("./${name}", import.meta.url)`;
          }
          if (!existsSync(path)) {
            throw new Error(`${id} names ${path}, which is not there: was its package built?`);
          }
          const name = names.get(path) ?? basename(path);
          cpSync(path, join(distFolder, name), { recursive: true });
          return whole.replace(relative, `./${name}${relative.endsWith("/") ? "/" : ""}`);
        });
        return replaced === code ? null : { code: replaced };
      },
    },
  };
}
