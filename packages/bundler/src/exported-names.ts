import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parse as lexCommonJs } from "cjs-module-lexer";
import { parseSync } from "rolldown/utils";

const require = createRequire(import.meta.url);

/**
 * The names that a module exports, read from its text. The build runs no bundled code: native packages of
 * another platform would not load, and loading a module can have side effects.
 * @param path an absolute path, or `node:` and a part of Node
 * @throws Error when no name is found: a lazy module without names would hide all exports
 */
export function exportedNames(path: string): string[] {
  const names = path.startsWith("node:")
    ? Object.keys(require(path) as object)
    : [...namesInText(path, new Set())].filter((name) => name !== "__esModule");
  if (names.length === 0) {
    throw new Error(`no exported names found in ${path}`);
  }
  return names;
}

function namesInText(path: string, seen: Set<string>): Set<string> {
  if (seen.has(path)) {
    return new Set();
  }
  seen.add(path);
  const text = readFileSync(path, "utf8");
  const { resolve } = createRequire(path);
  const { hasModuleSyntax, staticExports } = parseSync(path, text).module;
  if (!hasModuleSyntax) {
    const { exports, reexports } = lexCommonJs(text);
    return new Set([...exports, ...reexports.flatMap((name) => [...namesInText(resolve(name), seen)])]);
  }
  const names = new Set<string>();
  for (const { importName, exportName, moduleRequest, isType } of staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    if (isType) {
      continue;
    }
    if (importName.kind === "AllButDefault" && moduleRequest !== null) {
      for (const name of namesInText(resolve(moduleRequest.value), seen)) {
        if (name !== "default") {
          names.add(name);
        }
      }
    } else {
      names.add(exportName.kind === "Default" ? "default" : (exportName.name ?? ""));
    }
  }
  names.delete("");
  return names;
}
