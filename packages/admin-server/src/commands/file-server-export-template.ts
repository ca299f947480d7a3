import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";

/** `server file-server export-template`. Exit code 0. */
export const fileServerExportTemplate = defineCommand({
  name: "file-server export-template",
  summary: "Print a template for lists of folders",
  description: [
    "It makes a page like the built-in one. Change it, and name it in a configuration: browse <file> in the block of file_server, browse.template_file in JSON.",
  ],
  options: {},
  examples: [{ line: "server file-server export-template > browse.html", about: "Something to start from." }],
  async run() {
    const { sampleBrowseTemplate } = await import(
      "server-modules/handlers/file-server/browse/sample-browse-template"
    );
    process.stdout.write(sampleBrowseTemplate);
    return exitCodes.success;
  },
});
