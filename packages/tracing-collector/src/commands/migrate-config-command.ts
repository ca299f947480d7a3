import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type ProcessCommand, parseOptions, StartError } from "lifecycle";
import { z } from "zod";
import { migrateConfig } from "../migration/migrate-config.ts";
import { migratedFiles, migrationReport } from "../migration/migration-text.ts";

const options = z.object({
  out: z.string().default("").describe("Folder for the files; empty: they are printed."),
});

/** An existing file is not overwritten, because somebody may have changed it. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    const what = isThere ? "is there already: choose another folder" : `cannot be written: ${String(error)}`;
    throw new StartError(`migrate-config: ${path} ${what}`, { cause: error });
  }
}

/**
 * `migrate-config FILE`: converts a configuration of Jaeger 2 or Tempo to ours, and reports the result for each line.
 */
export const migrateConfigCommand: ProcessCommand = {
  name: "migrate-config",
  meaning: "Turn a configuration of Jaeger 2 or Tempo into ours: migrate-config FILE [--out FOLDER].",
  operands: "FILE",
  options,
  async run(args) {
    const [path, ...rest] = args;
    if (path === undefined || path.startsWith("-")) {
      throw new StartError("migrate-config: name the file first: migrate-config FILE [--out FOLDER]");
    }
    const { out } = parseOptions(options, { arguments: rest, environment: {} }).options;
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      throw new StartError(`migrate-config: ${path} cannot be read: ${String(error)}`, { cause: error });
    }
    const migration = migrateConfig(text, basename(path));
    const files = migratedFiles(migration, basename(path));
    if (out !== "") {
      await mkdir(out, { recursive: true });
    }
    for (const file of files) {
      if (out === "") {
        process.stdout.write(`--- ${file.name}\n${file.text}`);
      } else {
        const to = join(out, file.name);
        await writeNew(to, file.text);
        process.stdout.write(`wrote ${to}\n`);
      }
    }
    process.stdout.write(`--- ${migration.product}, line by line\n${migrationReport(migration.lines)}`);
    return 0;
  },
};
