// Counts functions that are hard to read: more than 60 lines, or more than four parameters. Fails when a package has more of
// them than function-sizes.json says. function-sizes.test.ts runs it.
//
// - no option: checks, and lists the functions of packages that have too many
// - `--list`: lists all of them
// - `--lower`: writes the counts that were found; it never raises one
//
// A function counts with everything in it. Tests, their helpers and generated code are left out.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { productFiles } from "./comment-share.mjs";

const { parseSync } = createRequire(new URL("../packages/docs-site/package.json", import.meta.url))(
  "oxc-parser",
);
const knownFile = new URL("function-sizes.json", import.meta.url);

/** More lines do not fit on a screen. */
const mostLines = 60;
/** A fifth argument of a call is looked up in the declaration; a member of an object has a name. */
const mostParameters = 4;
const withBody = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** @returns the functions of a source that are too long or have too many parameters */
export function largeFunctions(path, source) {
  const lineStarts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) {
    lineStarts.push(at + 1);
  }
  const lineOf = (offset) => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const found = [];
  const visit = (node, name) => {
    if (node === null || typeof node !== "object") {
      return;
    }
    if (Array.isArray(node)) {
      for (const each of node) {
        visit(each, name);
      }
      return;
    }
    const own = node.id?.name ?? node.key?.name ?? name;
    if (withBody.has(node.type)) {
      const line = lineOf(node.start);
      const lines = lineOf(node.end) - line + 1;
      const parameters = node.params.filter((each) => each.name !== "this").length;
      if (lines > mostLines || parameters > mostParameters) {
        found.push({ path, line, name: own ?? "a function", lines, parameters });
      }
    }
    for (const [key, child] of Object.entries(node)) {
      if (key !== "range" && key !== "loc") {
        visit(child, own);
      }
    }
  };
  visit(parseSync(path, source).program, undefined);
  return found;
}

/** @returns counts by package: `long` functions, and `wide` ones, which have too many parameters */
export function countFunctions(found) {
  const counts = {};
  for (const { path, lines, parameters } of found) {
    const name = path.split("/")[1];
    counts[name] ??= { long: 0, wide: 0 };
    counts[name].long += lines > mostLines ? 1 : 0;
    counts[name].wide += parameters > mostParameters ? 1 : 0;
  }
  return counts;
}

/** @returns one line for each count that grew: `package: 3 long functions, 2 are known` */
export function grownCounts(counts, known) {
  return Object.entries(counts).flatMap(([name, count]) =>
    ["long", "wide"].flatMap((kind) => {
      const most = known[name]?.[kind] ?? 0;
      return count[kind] > most ? [`${name}: ${count[kind]} ${kind} functions, ${most} are known`] : [];
    }),
  );
}

/** The large functions of all packages. */
export function largeFunctionsOfTree(root) {
  return productFiles(root).flatMap((path) =>
    largeFunctions(path, readFileSync(new URL(path, root), "utf8")),
  );
}

/** The counts that are known. They only fall. */
export function knownCounts() {
  return JSON.parse(readFileSync(knownFile, "utf8"));
}

function main() {
  const found = largeFunctionsOfTree(new URL("..", import.meta.url));
  const counts = countFunctions(found);
  const known = knownCounts();
  const grown = grownCounts(counts, known);
  const shown = process.argv.includes("--list")
    ? found
    : found.filter(({ path }) => grown.some((line) => line.startsWith(`${path.split("/")[1]}:`)));
  for (const { path, line, name, lines, parameters } of shown) {
    process.stdout.write(`${path}:${line} ${name}: ${lines} lines, ${parameters} parameters\n`);
  }
  const sum = (kind) => Object.values(counts).reduce((total, each) => total + each[kind], 0);
  process.stdout.write(`functions: ${sum("long")} over ${mostLines} lines, `);
  process.stdout.write(`${sum("wide")} with more than ${mostParameters} parameters\n`);
  if (process.argv.includes("--lower")) {
    const least = (name, kind) => Math.min(counts[name][kind], known[name]?.[kind] ?? counts[name][kind]);
    const lowered = Object.keys(counts)
      .sort()
      .map((name) => [name, { long: least(name, "long"), wide: least(name, "wide") }]);
    writeFileSync(knownFile, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
  } else if (grown.length > 0) {
    process.stdout.write(`${grown.join("\n")}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main();
}
