import { existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { changesPage } from "./changes-page.ts";

// The first line of the file; all versions are below this line.
const title = "# Changes\n\n";
// The part of package.json that this file needs.
const manifest = z.object({ version: z.string() });

/** Notes for the next version; none when the folder is missing, because git keeps no empty folder. */
function waitingNotes(folder: string) {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => !file.startsWith(".")) : [];
  return files.map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
}

/** A page of one version as a section of the whole changelog. */
function sectionOf(version: string, notes: Parameters<typeof changesPage>[1]): string {
  return changesPage(version, notes)
    .replace(/^# Changes in /, "# ")
    .replace(/^#/gm, "##");
}

/** The sections of released versions, without the title. */
function released(repository: string): string {
  const file = join(repository, "CHANGELOG.md");
  return existsSync(file) ? readFileSync(file, "utf8").slice(title.length) : "";
}

/** The whole changelog, newest first: notes for the next version, then released versions. */
export function changelogOf(repository: string): string {
  const notes = waitingNotes(join(repository, "changelog.d"));
  const next = notes.length === 0 ? "" : `${sectionOf("Unreleased", notes)}\n`;
  return `${title}${next}${released(repository)}`;
}

/**
 * Adds the section of the version in package.json at the top of CHANGELOG.md, and removes the used notes.
 * @returns the number of used notes
 * @throws Error when CHANGELOG.md has the version already, or without notes
 */
export function cutChangelog(repository: string): number {
  const { version } = manifest.parse(JSON.parse(readFileSync(join(repository, "package.json"), "utf8")));
  const folder = join(repository, "changelog.d");
  const notes = waitingNotes(folder);
  const before = released(repository);
  if (notes.length === 0) {
    throw new Error("no note waits in changelog.d/");
  }
  if (before.includes(`## ${version}\n`)) {
    throw new Error(`CHANGELOG.md has ${version} already: raise "version" in package.json first`);
  }
  const after = before === "" ? "" : `\n${before}`;
  writeFileSync(join(repository, "CHANGELOG.md"), `${title}${sectionOf(version, notes)}${after}`);
  for (const { file } of notes) {
    unlinkSync(join(folder, file));
  }
  return notes.length;
}
