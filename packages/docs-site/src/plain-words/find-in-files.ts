import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commentSentences } from "./comment-sentences.ts";
import { type Finding, findHabits } from "./habits.ts";
import { pageSentences } from "./page-sentences.ts";

/** Findings of a folder or a file at the top. */
export interface Place {
  /** `packages/wire`, `docs/adr`, `docs`, `README.md`; see {@link placeOf}. */
  readonly name: string;
  readonly findings: readonly (Finding & { readonly path: string })[];
}

/** The most findings that a place may have. A place that is not listed may have none. */
export type Allowed = Readonly<Record<string, number>>;

/** Generated code, the words of others, and records of measurements, which nobody edits again. */
const notOurs = [
  /(?:^|\/)gen\//,
  /^CODE_OF_CONDUCT\.md$/,
  /^CHANGELOG\.md$/,
  /^docs\/measurements\//,
  /^docs\/reference\//,
  /^docs\/benchmarks(?:-history)?\.md$/,
  /\/recorded\//,
];

/** Files whose sentences are checked: TypeScript, JavaScript modules and Markdown. */
export function isChecked(path: string): boolean {
  return /\.(?:tsx?|mjs|md)$/.test(path) && !notOurs.some((pattern) => pattern.test(path));
}

/**
 * Packages of the web server count as one place: files move between them, and a move must not change what is allowed.
 */
const serverPackages = new Set([
  "admin-server",
  "certificates",
  "http-engine",
  "http-protocols",
  "server-core",
  "server-modules",
  "serverfile",
]);

/** @returns the place that a file counts for */
export function placeOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  if (first === "packages") {
    return serverPackages.has(second) ? "web server" : `packages/${second}`;
  }
  return path.startsWith("docs/adr/") ? "docs/adr" : first;
}

/**
 * Finds the habits in files.
 * @param root folder that the paths begin at
 * @returns places with at least one finding, by name
 */
export function findInFiles(root: string, paths: readonly string[]): Place[] {
  const places = new Map<string, (Finding & { path: string })[]>();
  for (const path of paths) {
    // Git lists a file that was removed and is not committed yet.
    if (!isChecked(path) || !existsSync(join(root, path))) {
      continue;
    }
    const source = readFileSync(join(root, path), "utf8");
    const sentences = path.endsWith(".md") ? pageSentences(source) : commentSentences(path, source);
    const findings = sentences.flatMap(findHabits).map((finding) => ({ ...finding, path }));
    if (findings.length === 0) {
      continue;
    }
    const place = placeOf(path);
    places.set(place, [...(places.get(place) ?? []), ...findings]);
  }
  return [...places]
    .map(([name, findings]) => ({ name, findings }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @returns places with more findings than they may have */
export function placesOverLimit(places: readonly Place[], allowed: Allowed): Place[] {
  return places.filter(({ name, findings }) => findings.length > (allowed[name] ?? 0));
}

/**
 * Lowers what is allowed to what was found; it never raises a number.
 * @returns the new list, without places that have no finding left
 */
export function lowerAllowed(places: readonly Place[], allowed: Allowed): Allowed {
  const found = new Map(places.map(({ name, findings }) => [name, findings.length]));
  const lowered = Object.entries(allowed).map(
    ([name, most]) => [name, Math.min(most, found.get(name) ?? 0)] as const,
  );
  return Object.fromEntries(lowered.filter(([, most]) => most > 0));
}
