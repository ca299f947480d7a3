#!/usr/bin/env node
// Before a tag: puts the notes of changelog.d/ into CHANGELOG.md, under the version of package.json.
import { join } from "node:path";
import { cutChangelog } from "../src/reference/changelog.ts";

try {
  const notes = cutChangelog(join(import.meta.dirname, "..", "..", ".."));
  process.stdout.write(`CHANGELOG.md: ${notes} notes\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
