// Lists the cycles of imports between folders of a package, at any depth. folder-cycles.test.ts fails on each.
//
// dependency-rules.mjs says which room of a package stands above which. This looks at every folder: two folders that import each
// other cannot be read apart, even when no two of their files do. A file beside folders counts as one of them. Imports of types
// count; tests, their helpers and generated code do not.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const notCounted = /\.(?:test|fuzz|bench)\.tsx?$|\.d\.ts$|(?:^|\/)(?:gen|testing)\//;
const imported = /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)["'](\.[^"']+)["']/gm;

/** The room of `file` inside `folder`: the folder below it, or the file itself. Undefined when it is elsewhere. */
function roomOf(folder, file) {
  if (!file.startsWith(folder)) {
    return undefined;
  }
  const [first] = file.slice(folder.length).split("/");
  return first;
}

/** All rooms that `room` leads to, at any distance. */
function reachable(arrows, room) {
  const found = new Set();
  const open = [room];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const to of arrows.get(next) ?? []) {
      if (!found.has(to)) {
        found.add(to);
        open.push(to);
      }
    }
  }
  return found;
}

/**
 * @param texts sources by path, of one package
 * @returns one line a cycle that has a folder in it: `folder: room, room`, sorted; files that import each other are left to
 * dependency-rules.mjs
 */
export function folderCycles(texts) {
  const imports = [];
  const folders = new Set([""]);
  for (const [path, text] of texts) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      folders.add(path.slice(0, at + 1));
    }
    for (const [, target] of text.matchAll(imported)) {
      imports.push([path, join(dirname(path), target).split(sep).join("/")]);
    }
  }
  return [...folders].flatMap((folder) => cyclesIn(folder, imports)).sort();
}

function cyclesIn(folder, imports) {
  const arrows = new Map();
  for (const [from, to] of imports) {
    const [lower, upper] = [roomOf(folder, to), roomOf(folder, from)];
    if (lower !== undefined && upper !== undefined && lower !== upper) {
      arrows.set(upper, (arrows.get(upper) ?? new Set()).add(lower));
    }
  }
  const reached = new Map([...arrows.keys()].map((room) => [room, reachable(arrows, room)]));
  const cycles = new Set();
  for (const [room, all] of reached) {
    if (all.has(room)) {
      const cycle = [...all].filter((other) => reached.get(other)?.has(room)).sort();
      if (cycle.some((each) => !/\.tsx?$/.test(each))) {
        cycles.add(`${folder === "" ? "." : folder.slice(0, -1)}: ${cycle.join(", ")}`);
      }
    }
  }
  return [...cycles];
}

/** The sources of a package by their path in `src`. */
export function sourcesOf(src) {
  const paths = readdirSync(src, { recursive: true })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => /\.tsx?$/.test(path) && !notCounted.test(path));
  return new Map(paths.map((path) => [path, readFileSync(join(src, path), "utf8")]));
}

/** @returns the cycles of all packages, each with its package's name before it */
export function cyclesOfTree(root) {
  const packages = readdirSync(join(root, "packages"), { recursive: false });
  return packages.flatMap((name) => {
    const src = join(root, "packages", name, "src");
    try {
      return folderCycles(sourcesOf(src)).map((cycle) => `${name}/${cycle}`);
    } catch (error) {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") {
        return [];
      }
      throw error;
    }
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = resolve(fileURLToPath(new URL("..", import.meta.url)));
  const cycles = cyclesOfTree(root);
  process.stdout.write(
    `${cycles.map((cycle) => `${cycle}\n`).join("")}${cycles.length} cycles of folders in ${relative(process.cwd(), root) || "."}\n`,
  );
}
