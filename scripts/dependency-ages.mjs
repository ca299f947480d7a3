// Finds runtime dependencies that look abandoned. docs/dependencies.md lists every one with its reason. One
// without a release for two years needs a reason to stay, in the column "Why although old".

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const longestMs = 2 * 365.25 * 24 * 3_600_000;

/** Names of what the packages and examples depend on when they run, without those of the repository itself. */
export function runtimeDependencies(root) {
  const names = new Set();
  for (const folder of ["packages", "examples"]) {
    for (const name of readdirSync(join(root, folder))) {
      const file = join(root, folder, name, "package.json");
      if (!existsSync(file)) {
        continue;
      }
      const { dependencies = {} } = JSON.parse(readFileSync(file, "utf8"));
      for (const [dependency, version] of Object.entries(dependencies)) {
        if (!version.startsWith("workspace:")) {
          names.add(dependency);
        }
      }
    }
  }
  return [...names].sort();
}

/** Rows of the page's tables. @returns the reason for age by name; "" where there is none */
export function listedDependencies(markdown) {
  const rows = new Map();
  for (const [, names, , old = ""] of markdown.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|(?: ([^|]*) \|)?$/gm)) {
    for (const [, name] of names.matchAll(/`([^`]+)`/g)) {
      rows.set(name, old.trim());
    }
  }
  return rows;
}

/** Names of those whose age nobody told: a registry without dates must not look like one in which all are young. */
export function undatedDependencies(releases) {
  return Object.keys(releases).filter((name) => releases[name] === undefined);
}

/**
 * @param releases date of the newest release by name, ISO 8601; undefined for one that the registry did not tell
 * @returns a line for each dependency without a release for two years and without a reason
 */
export function abandonedFindings(releases, listed, nowMs) {
  return Object.entries(releases).flatMap(([name, date]) => {
    if (date === undefined || nowMs - Date.parse(date) <= longestMs || listed.get(name)) {
      return [];
    }
    return [
      `${name}: no release since ${date.slice(0, 10)}, and docs/dependencies.md gives no reason to keep it`,
    ];
  });
}
