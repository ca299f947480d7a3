import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Modules that a module imports: `static` are loaded with it, `later` are loaded on demand. */
interface Imports {
  readonly static: readonly string[];
  readonly later: readonly string[];
}

/**
 * Finds classes of elements whose style sheet may not be loaded yet. A sheet is loaded with the module that
 * imports it, so the look of such an element depends on the pages that were open before.
 * @param root folder of an app's sources, with `main.tsx`
 * @param kit  folder of this package's sources
 * @returns `file.tsx: class (sheet.css)`, sorted
 */
export function classesWithoutSheet(root: string, kit: string): string[] {
  const files = [root, kit].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name)),
  );
  const text = (file: string) => readFileSync(file, "utf8");
  const sources = files.filter((file) => /(?<!\.test)\.tsx?$/.test(file));
  const imports = new Map(sources.map((file) => [file, importsOf(file, text(file), kit)]));
  const sheets = new Map<string, string[]>();
  for (const file of files.filter((name) => name.endsWith(".css"))) {
    for (const [, name = ""] of text(file).matchAll(/\.([a-z][\w-]*)/g)) {
      sheets.set(name, [...(sheets.get(name) ?? []), file]);
    }
  }
  const main = closure([path.join(root, "main.tsx")], imports);
  const found = new Set<string>();
  const complain = (modules: ReadonlySet<string>, loaded: ReadonlySet<string>) => {
    for (const file of modules) {
      for (const name of file.endsWith(".tsx") ? classesIn(text(file)) : []) {
        const own = sheets.get(name) ?? [];
        if (own.length > 0 && !own.some((sheet) => loaded.has(sheet))) {
          found.add(
            `${path.basename(file)}: ${name} (${own.map((sheet) => path.basename(sheet)).join(", ")})`,
          );
        }
      }
    }
  };
  complain(main, main);
  for (const [file, { later }] of imports) {
    for (const entry of later) {
      const modules = closure([entry], imports);
      // A module that is loaded on demand is drawn inside the module that imports it, and both inside the app.
      complain(modules, new Set([...modules, ...main, ...pageOf(file, imports)]));
    }
  }
  return [...found].sort();
}

/** Collects the modules that are loaded with a module: its imports, and the modules loaded with its only importer. */
function pageOf(file: string, imports: ReadonlyMap<string, Imports>): Set<string> {
  const importers = [...imports]
    .filter(([, { static: names }]) => names.includes(file))
    .map(([name]) => name);
  const above = importers.length === 1 ? pageOf(importers[0] as string, imports) : [];
  return new Set([...closure([file], imports), ...above]);
}

function closure(from: readonly string[], imports: ReadonlyMap<string, Imports>): Set<string> {
  const reached = new Set<string>();
  const open = [...from];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (!reached.has(file)) {
      reached.add(file);
      open.push(...(imports.get(file)?.static ?? []));
    }
  }
  return reached;
}

function importsOf(file: string, text: string, kit: string): Imports {
  const resolved = (names: Iterable<RegExpMatchArray>) =>
    [...names].flatMap(([, name = ""]) =>
      name.startsWith("ui-kit/")
        ? [path.join(kit, name.slice("ui-kit/".length))]
        : name.startsWith(".")
          ? [path.resolve(path.dirname(file), name)]
          : [],
    );
  return {
    static: resolved(text.matchAll(/(?:\bfrom|^import)\s+"([^"]+)"/gm)),
    later: resolved(text.matchAll(/\bimport\(\s*"([^"]+)"/g)),
  };
}

/** Names in the `className`s of a source, including names in conditions. */
function classesIn(text: string): Set<string> {
  const values = [...text.matchAll(/className=("[^"]*"|\{(?:[^{}]|\{[^{}]*\})*\})/g)].map(
    ([, value = ""]) => value,
  );
  const parts = values.flatMap((value) =>
    [...value.matchAll(/["`]([^"`]*)["`]/g)].map(([, part = ""]) => part),
  );
  return new Set(parts.flatMap((part) => part.split(/[^\w-]+/)).filter(Boolean));
}
