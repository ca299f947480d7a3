// Checks the subjects of new commits: `type(scope): imperative`, at most 72 characters. History before `since` stays as it is.
// Without git, as in an unpacked release, there is nothing to check.

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";

/** Commits from this time on follow the rule. A time and no commit: a shallow clone does not have the commit. */
const since = "2026-11-27T09:30:00Z";

const types = "feat|fix|perf|test|docs|refactor|style|build|chore";
const mostCharacters = 72;

/** Verbs in another form than the imperative, as they are often written. */
const notImperative = /^(?:\w+(?:ed|ing)|adds|fixes|makes|says|keeps|removes|uses|moves)\b/i;

/** These end like a participle and are imperatives. */
const imperativeAfterAll =
  /^(?:bring|embed|exceed|feed|need|ping|proceed|seed|shed|speed|spring|string|succeed|swing|wed)\b/i;

/** @returns what is wrong with a subject; undefined when nothing is */
export function subjectFault(subject) {
  if (/^(?:Merge|Revert) /.test(subject)) {
    return undefined;
  }
  if (subject.length > mostCharacters) {
    return `has ${subject.length} characters, at most ${mostCharacters}`;
  }
  const match = new RegExp(`^(?:${types})(?:\\([a-z0-9-]+\\))?!?: (.+)$`).exec(subject);
  if (match === null) {
    return `is not "type(scope): imperative" with one of ${types.replaceAll("|", ", ")}`;
  }
  if (notImperative.test(match[1]) && !imperativeAfterAll.test(match[1])) {
    return `begins with "${match[1].split(" ")[0]}", not with an imperative`;
  }
  return match[1].endsWith(".") ? "ends with a dot" : undefined;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const args = ["log", `--since=${since}`, "--no-merges", "--format=%h %s"];
  const { stdout, status } = spawnSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const commits = status === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
  for (const line of commits) {
    const at = line.indexOf(" ");
    const fault = subjectFault(line.slice(at + 1));
    if (fault === undefined) {
      continue;
    }
    process.stdout.write(`${line.slice(0, at)} ${fault}: ${line.slice(at + 1)}\n`);
    process.exitCode = 1;
  }
  process.stdout.write(`commit subjects: ${commits.length} checked\n`);
}
