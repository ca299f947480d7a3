import { readdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ProcessCommand, parseOptions, StartError } from "lifecycle";
import { z } from "zod";
import { type QuarantinedFile, quarantinedFiles } from "../pipeline/journal/quarantine.ts";

const options = z.object({
  dir: z
    .string()
    .default("./data/collector")
    .describe("Folder of the journal, or the one that several collectors share."),
  drop: z.string().default("").describe("Name of a file to delete, or all."),
});

/**
 * Folders of journals: the folder itself, and the journals of collectors that share it. @throws the file system's error
 */
async function journalsIn(folder: string): Promise<string[]> {
  const shared = (await readdir(folder)).filter((name) => /^journal-\d+$/.test(name)).sort();
  return [folder, ...shared.map((name) => join(folder, name))];
}

/** A line of the list: `2026-03-01T12:00:00.000Z      123456  copy of damage      quarantine/00001…segment.damaged` */
function lineOf({ path, bytes, writtenUnixMs, kind }: QuarantinedFile): string {
  const what = kind === "refused" ? "refused by storage" : "copy of damage";
  return [new Date(writtenUnixMs).toISOString(), String(bytes).padStart(12), what.padEnd(18), path].join(
    "  ",
  );
}

/** `quarantine`: lists or deletes the files in a journal's quarantine. Collectors may run meanwhile. */
export const quarantineCommand: ProcessCommand = {
  name: "quarantine",
  meaning:
    "List what the journal has set aside, or delete it: quarantine [--dir ./data/collector] [--drop FILE|all].",
  options,
  async run(args) {
    const { dir, drop } = parseOptions(options, { arguments: args, environment: {} }).options;
    let files: QuarantinedFile[];
    try {
      files = (await Promise.all((await journalsIn(dir)).map(quarantinedFiles))).flat();
    } catch (error) {
      throw new StartError(`quarantine: ${dir} cannot be read: ${String(error)}`, { cause: error });
    }
    if (drop === "") {
      const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
      const lines = [...files.map(lineOf), `${files.length} files, ${total} bytes`];
      process.stdout.write(`${lines.join("\n")}\n`);
      return 0;
    }
    const chosen = drop === "all" ? files : files.filter(({ name }) => name === basename(drop));
    if (chosen.length === 0 && drop !== "all") {
      throw new StartError(`quarantine: ${drop} is not in the quarantine of ${dir}`);
    }
    for (const { path } of chosen) {
      await unlink(path);
      process.stdout.write(`deleted ${path}\n`);
    }
    return 0;
  },
};
