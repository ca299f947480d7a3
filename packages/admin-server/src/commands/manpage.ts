import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { version } from "lifecycle/version";
import { messageOf } from "server-core/errors";
import { defineCommand } from "../cli/command.ts";

/**
 * `server manpage`. Exit codes: 0; 1 without `--directory`, or when a page cannot be written. Existing pages
 * are replaced.
 */
export const manpage = defineCommand({
  name: "manpage",
  summary: "Write the manual pages of all commands into a folder",
  description: ["In section 8, System Administration. The folder is made when it is not there."],
  options: {
    directory: {
      kind: "text",
      short: "o",
      value: "folder",
      completes: "folder",
      about: "Where they are written; required",
    },
  },
  examples: [
    {
      line: "server manpage --directory man && man -l man/server-run.8",
      about: "Writes all pages and shows one.",
    },
  ],
  async run({ directory }, _, commands) {
    if (directory === "") {
      throw new StartError("manpage: --directory is required: the folder for the pages");
    }
    const { manPages } = await import("../cli/man-pages.ts");
    try {
      await mkdir(directory, { recursive: true });
      for (const [file, text] of manPages(await commands.all(), version.gitVersion)) {
        await writeFile(join(directory, file), text);
      }
    } catch (error) {
      throw new StartError(`manpage: cannot write to ${directory}: ${messageOf(error)}`, { cause: error });
    }
    return exitCodes.success;
  },
});
