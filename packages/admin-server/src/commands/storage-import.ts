import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adapterOption, configOption } from "./config-options.ts";

/**
 * `server storage import`. Exit codes: 0; 1 without `--input`, or when reading the archive or writing to the storage
 * fails. A faulty archive changes nothing; if the storage fails, some values may already be stored.
 */
export const storageImport = defineCommand({
  name: "storage import",
  summary: "Store certificates, keys and authorities from a tar archive",
  description: [
    "Writes to the storage that the configuration names, or the default one: values of the same name are replaced, others stay. An archive that cannot be read to its end changes nothing. A running server takes the values with its next reload --force.",
  ],
  options: {
    config: configOption,
    adapter: adapterOption,
    input: {
      kind: "text",
      short: "i",
      value: "file",
      completes: "file",
      about: "Archive to read; - is standard input; required",
    },
  },
  examples: [{ line: "server storage import --input storage.tar", about: "Brings a copy back." }],
  async run({ config, adapter, input }) {
    if (input === "") {
      throw new StartError("storage import: --input is required: a file, or - for standard input");
    }
    const { withStorage } = await import("../cli/open-storage.ts");
    const { importStorage } = await import("../cli/storage-archive.ts");
    await withStorage(config, adapter, async (storage) => {
      const count = await importStorage(storage, input);
      process.stdout.write(`Successfully imported storage: ${count} values\n`);
    });
    return exitCodes.success;
  },
});
