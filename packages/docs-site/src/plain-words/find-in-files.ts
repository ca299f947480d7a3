import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commentSentences } from "./comment-sentences.ts";
import { type Finding, findHabits } from "./habits.ts";
import { pageSentences } from "./page-sentences.ts";

/** A finding, with its file's path below the root. */
export interface FileFinding extends Finding {
  readonly path: string;
}

/** Generated code, third-party texts, and records of measurements, which are never edited again. */
const notOurs = [
  /(?:^|\/)gen\//,
  /^CODE_OF_CONDUCT\.md$/,
  /^CHANGELOG\.md$/,
  /^docs\/measurements\//,
  /^docs\/reference\//,
  /^docs\/benchmarks(?:-history)?\.md$/,
  /\/recorded\//,
];

/** True for files whose sentences are checked: TypeScript, JavaScript modules and Markdown. */
export function isChecked(path: string): boolean {
  return /\.(?:tsx?|mjs|md)$/.test(path) && !notOurs.some((pattern) => pattern.test(path));
}

/**
 * Finds the habits in files, in the order of the paths.
 * @param root folder to which the paths are relative
 */
export function findInFiles(root: string, paths: readonly string[]): FileFinding[] {
  return paths.flatMap((path) => {
    // Git also lists a removed file whose removal is not committed yet.
    if (!isChecked(path) || !existsSync(join(root, path))) {
      return [];
    }
    const source = readFileSync(join(root, path), "utf8");
    const sentences = path.endsWith(".md") ? pageSentences(source) : commentSentences(path, source);
    return sentences.flatMap(findHabits).map((finding) => ({ ...finding, path }));
  });
}
