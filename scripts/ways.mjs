// Counts the files that a reader of one way through the product may have to open. Fails when a way has more of them than
// ways.json says. ways.test.ts runs it.
//
// - no option: checks, and prints the count of each way
// - `--list WAY`: prints the files of a way, each with the files of the way that import it
// - `--lower`: writes the counts that were found; it never raises one
//
// A way is the closure of imports from its entry files, inside packages/. Imports of types, dynamic imports, tests and helpers of
// tests do not count. An example: the entry a.ts imports b.ts, and b.ts imports a type of c.ts; the way has two files.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { parseSync } = createRequire(new URL("../packages/docs-site/package.json", import.meta.url))(
  "oxc-parser",
);
const knownFile = new URL("ways.json", import.meta.url);
const notCounted = /\.(?:test|fuzz|contract)\.tsx?$|\/testing\//;

/**
 * Entry files by way, from the numbered ways in the READMEs of packages. Parts of the product meet by interfaces, and no import leads
 * from a caller to the class behind an interface. So a way has one entry for each such meeting. Files that put a whole process
 * together are no entries: they import every other way.
 */
export const ways = {
  /** A span over OTLP and HTTP until the store has it: tracing-collector/README.md. */
  span: [
    "tracing-collector/src/receivers/otlp-requests.ts",
    // Behind `Http1Request` and `Http1Response`: the machine of HTTP/1.
    "http-protocols/src/http1-server/server-connection.ts",
    // Behind `HttpSpanForm`, for protobuf. Readers of JSON are a way of their own.
    "tracing-collector/src/pipeline/span-intake.ts",
    "wire/src/otlp/otlp-transcoder.ts",
    "wire/src/otlp/export-response.ts",
    // Behind `SpanJournal`. Steps on rows (`RowStep`) are left out: each needs an option.
    "tracing-collector/src/pipeline/journal/journal.ts",
    // A task of its own takes sealed segments.
    "tracing-collector/src/pipeline/storage-writer.ts",
    // Behind `SpanWriter`: sends the INSERT.
    "storage/src/engines/clickhouse/clickhouse-span-writer.ts",
  ],
  /** A search by `/api/traces`, from the routed request to the SQL and back: tracing-query/README.md. */
  search: [
    // Tenant and place in the queue; `server/api-router.ts` puts all endpoints behind it.
    "tracing-query/src/http/endpoint.ts",
    "tracing-query/src/http/search-endpoint.ts",
    "tracing-query/src/service/trace-service.ts",
    // Behind `SpanReader`: search-sql.ts is one of its imports.
    "storage/src/engines/clickhouse/clickhouse-span-reader.ts",
  ],
  /** A change by `/config/`, from its handler to the swap of apps: the READMEs of admin-server and server-core. */
  config: [
    "admin-server/src/admin/config-routes.ts",
    "server-core/src/engine/config-engine.ts",
    // Behind `Participant`: starts the new apps and stops the old ones.
    "server-core/src/engine/apps.ts",
  ],
  /** A request over HTTP/1 that reverse_proxy sends on over HTTP/1, from its socket and back: http-engine/README.md. */
  proxied: [
    "http-engine/src/shared-listener.ts",
    // The machine of HTTP/1. HTTP/2 has its own, which counts while the listener imports it.
    "http-engine/src/h1/h1-connection.ts",
    // Behind `RequestSink`, which takes requests of the listener.
    "http-engine/src/http-server.ts",
    // Behind `HttpHandler`.
    "server-modules/src/handlers/reverse-proxy/proxy-handler.ts",
    // Behind `Transport`.
    "server-modules/src/handlers/reverse-proxy/transport/h1/h1-pool.ts",
  ],
};

/** @returns what a source imports as values: `["./a.ts", "wire/rows"]` */
export function valueImports(path, source) {
  const { staticImports, staticExports } = parseSync(path, source).module;
  const ofImports = staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some((entry) => !entry.isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const ofExports = staticExports.flatMap(({ entries }) =>
    entries
      .filter(({ moduleRequest, isType }) => moduleRequest && !isType)
      .map(({ moduleRequest }) => moduleRequest.value),
  );
  return [...new Set([...ofImports, ...ofExports])];
}

/** The file of a package's `exports` that `wire/rows` leads to. Undefined when no package of ours has that name. */
function exportedFile(packages, specifier) {
  const [name, ...rest] = specifier.split("/");
  const manifest = join(packages, name, "package.json");
  if (!existsSync(manifest)) {
    return undefined;
  }
  const wanted = [".", ...rest].join("/");
  const { exports = {} } = JSON.parse(readFileSync(manifest, "utf8"));
  for (const [key, target] of Object.entries(exports)) {
    const [before, after] = key.split("*");
    if (wanted === key) {
      return join(packages, name, target);
    }
    if (after !== undefined && wanted.startsWith(before) && wanted.endsWith(after)) {
      return join(
        packages,
        name,
        target.replace("*", wanted.slice(before.length, wanted.length - after.length)),
      );
    }
  }
  throw new Error(`package.json of ${name} does not export ${specifier}`);
}

/**
 * @param packages path of the folder with all packages
 * @param entries paths below it
 * @returns the paths of a way in the order in which they are found, each with those that import it
 */
export function filesOfWay(packages, entries) {
  const importers = new Map(entries.map((entry) => [entry, []]));
  // The loop also meets paths that it adds.
  for (const path of importers.keys()) {
    const file = join(packages, path);
    for (const specifier of valueImports(path, readFileSync(file, "utf8"))) {
      const target = specifier.startsWith(".")
        ? join(dirname(file), specifier)
        : exportedFile(packages, specifier);
      const found = target && relative(packages, target).split(sep).join("/");
      if (found !== undefined && /\.tsx?$/.test(found) && !notCounted.test(found)) {
        importers.set(found, [...(importers.get(found) ?? []), path]);
      }
    }
  }
  return importers;
}

/** @returns how many files each way has */
export function countWays() {
  const packages = fileURLToPath(new URL("../packages", import.meta.url));
  return Object.fromEntries(
    Object.entries(ways).map(([way, entries]) => [way, filesOfWay(packages, entries).size]),
  );
}

/** The counts that are known. They only fall. */
export function knownWays() {
  return JSON.parse(readFileSync(knownFile, "utf8"));
}

/** @returns one line for each way that grew: `span: 92 files, 90 are known` */
export function grownWays(counts, known) {
  return Object.entries(counts)
    .filter(([way, count]) => count > (known[way] ?? 0))
    .map(([way, count]) => `${way}: ${count} files, ${known[way] ?? 0} are known`);
}

function list(way) {
  const entries = ways[way];
  if (entries === undefined) {
    throw new Error(`no way "${way}": ${Object.keys(ways).join(", ")}`);
  }
  const packages = fileURLToPath(new URL("../packages", import.meta.url));
  for (const [path, importers] of filesOfWay(packages, entries)) {
    process.stdout.write(`${path}\n${importers.map((importer) => `    ${importer}\n`).join("")}`);
  }
}

function main([option, way]) {
  if (option === "--list") {
    list(way);
    return;
  }
  const counts = countWays();
  const known = knownWays();
  for (const [name, count] of Object.entries(counts)) {
    process.stdout.write(`${name.padEnd(8)} ${count} files\n`);
  }
  if (option === "--lower") {
    const lowered = Object.entries(counts).map(([name, count]) => [
      name,
      Math.min(count, known[name] ?? count),
    ]);
    writeFileSync(knownFile, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
    return;
  }
  const grown = grownWays(counts, known);
  if (grown.length > 0) {
    process.stdout.write(`${grown.join("\n")}\n`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main(process.argv.slice(2));
}
