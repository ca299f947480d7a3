import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adapterOption, configOption } from "./config-options.ts";

/**
 * `server storage export`. Exit codes: 0; 1 without `--output`, or when reading the storage or writing the archive
 * fails. A failed export leaves no file behind.
 */
export const storageExport = defineCommand({
  name: "storage export",
  summary: "Write certificates, keys and authorities into a tar archive",
  description: [
    "Reads the storage that the configuration names, or the default one. The archive holds private keys: only its owner can read it. Run it as the user that the server runs as.",
  ],
  options: {
    config: configOption,
    adapter: adapterOption,
    output: {
      kind: "text",
      short: "o",
      value: "file",
      completes: "file",
      about: "Archive to write; - is standard output; required",
    },
  },
  examples: [
    { line: "server storage export --output storage.tar", about: "Keeps a copy." },
    {
      line: "server storage export -c old.json -o - | server storage import -c new.json -i -",
      about: "Moves everything from one storage to another.",
    },
  ],
  async run({ config, adapter, output }) {
    if (output === "") {
      throw new StartError("storage export: --output is required: a file, or - for standard output");
    }
    const { withStorage } = await import("../cli/open-storage.ts");
    const { exportStorage } = await import("../cli/storage-archive.ts");
    await withStorage(config, adapter, async (storage) => {
      const count = await exportStorage(storage, output);
      process.stderr.write(`Exported ${count} values\n`);
    });
    return exitCodes.success;
  },
});
