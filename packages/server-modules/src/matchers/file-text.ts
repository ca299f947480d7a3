import type { ModuleText } from "serverfile/module-text";
import type { MatcherReader } from "serverfile/modules/module-reader";
import { type Line, line, lineWith } from "serverfile/to-text/lines/line";
import type { MatcherWriter } from "serverfile/to-text/matchers/matcher-writer";
import { Members } from "serverfile/to-text/members";
import { onlyGiven } from "serverfile/values/draft";

/**
 * Files on the line and in the block are combined.
 * ```
 * file {
 *   root /srv
 *   try_files {path} /index.php
 *   try_policy first_exist
 * }
 * ```
 * becomes the set
 * ```json
 * {
 *   "file": {
 *     "root": "/srv",
 *     "try_files": ["{http.request.uri.path}", "/index.php"],
 *     "try_policy": "first_exist"
 *   }
 * }
 * ```
 */
const readMatcher: MatcherReader = (cursor) => {
  const tryFiles: string[] = [];
  let root = "";
  let policy = "";
  let split: string[] = [];
  while (cursor.next()) {
    tryFiles.push(...cursor.remainingArguments());
    while (cursor.nextInBlock(0)) {
      switch (cursor.value) {
        case "root":
          root = cursor.argument();
          break;
        case "try_files":
          tryFiles.push(...cursor.remainingArguments());
          if (tryFiles.length === 0) {
            throw cursor.argumentError();
          }
          break;
        case "try_policy":
          policy = cursor.argument();
          break;
        case "split_path":
          split = cursor.someArguments();
          break;
        default:
          throw cursor.error(`unrecognized subdirective: ${cursor.value}`);
      }
    }
  }
  return onlyGiven({ root, try_files: tryFiles, try_policy: policy, split_path: split });
};

const writeMatcher: MatcherWriter = (value, path) => {
  const members = new Members(value, path);
  const tryFiles = members.texts("try_files") ?? [];
  const lines: Line[] = [];
  for (const key of ["root", "try_policy"]) {
    const word = members.text(key);
    if (word !== undefined) {
      lines.push(line(key, word));
    }
  }
  const split = members.texts("split_path");
  if (split !== undefined) {
    lines.push(line("split_path", ...split));
  }
  members.done("the matcher file");
  return [lineWith(["file", ...tryFiles], lines)];
};

export const fileMatcherText: ModuleText = { readMatcher, writeMatcher };
