#!/usr/bin/env node
// Checks comments and pages for the worst habits of writing. These are openings that hide the subject, sentences of more
// than 30 words, and phrases that a newcomer does not understand. Every finding fails the check.
// Paths as arguments limit it to these files and folders.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findInFiles } from "../src/plain-words/find-in-files.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { stdout, status } = spawnSync(
  "git",
  ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...process.argv.slice(2)],
  { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
);
if (status !== 0) {
  process.stdout.write("plain words: not a git checkout, nothing is checked\n");
  process.exit(0);
}
const findings = findInFiles(root, stdout.split("\0"));
for (const { path, line, advice, text } of findings) {
  process.stdout.write(`${path}:${line} ${advice}\n    ${text}\n`);
}
process.stdout.write(`plain words: ${findings.length} sentences to mend\n`);
process.exitCode = findings.length === 0 ? 0 : 1;
