#!/usr/bin/env node
// Checks comments and pages for the worst habits of writing. These are openings that hide the subject, sentences of more
// than 30 words, and phrases that a newcomer does not understand. The file plain-words-allowed.json has the number that
// each folder may still have.
//
// - no option: fails when a folder has more than it may have
// - `--list PATH…`: prints every finding in these files and folders
// - `--lower`: writes lower numbers into plain-words-allowed.json, after sentences were mended

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  type Allowed,
  findInFiles,
  lowerAllowed,
  type Place,
  placesOverLimit,
} from "../src/plain-words/count-habits.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const allowedPath = join(root, "packages/docs-site/plain-words-allowed.json");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "boolean", default: false }, lower: { type: "boolean", default: false } },
});

const { stdout, status } = spawnSync(
  "git",
  ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...positionals],
  { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
);
if (status !== 0) {
  process.stdout.write("plain words: not a git checkout, nothing is checked\n");
  process.exit(0);
}
const places = findInFiles(root, stdout.split("\0"));
const allowed = JSON.parse(readFileSync(allowedPath, "utf8")) as Allowed;

function print({ findings }: Place): void {
  for (const { path, line, advice, text } of findings) {
    process.stdout.write(`${path}:${line} ${advice}\n    ${text}\n`);
  }
}

if (values.list) {
  places.forEach(print);
} else if (values.lower) {
  writeFileSync(allowedPath, `${JSON.stringify(lowerAllowed(places, allowed), null, 2)}\n`);
} else {
  const over = placesOverLimit(places, allowed);
  for (const place of over) {
    print(place);
    process.stdout.write(
      `${place.name}: ${place.findings.length} sentences to mend, ${allowed[place.name] ?? 0} allowed\n`,
    );
  }
  const found = places.reduce((sum, { findings }) => sum + findings.length, 0);
  process.stdout.write(`plain words: ${found} sentences to mend, ${over.length} folders over their limit\n`);
  process.exitCode = over.length === 0 ? 0 : 1;
}
