import { existsSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { changesPage } from "./changes-page.ts";

// The first line of the file, which every version stays below.
const title = "# Changes\n\n";
// The part of package.json that is read.
const manifest = z.object({ version: z.string() });

/** Notes that wait for the next version; none where the folder is not there, as git keeps no empty one. */
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

/** The whole changelog, newest first: notes that wait, then what was released. */
export function changelogOf(repository: string): string {
  const notes = waitingNotes(join(repository, "changelog.d"));
  const next = notes.length === 0 ? "" : `${sectionOf("Unreleased", notes)}\n`;
  return `${title}${next}${released(repository)}`;
}

/**
 * Makes the section of the version that package.json names, at the top of CHANGELOG.md, and removes the notes that went into it.
 * @returns how many notes
 * @throws Error when CHANGELOG.md has the version already, or no note waits
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
