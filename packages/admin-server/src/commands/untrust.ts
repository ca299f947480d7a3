import { StartError } from "lifecycle/errors";
import { defineCommand } from "../cli/command.ts";
import { adminOptions } from "./config-options.ts";

/** `server untrust`. Exit codes: 0; 1 when any store fails, or when `--cert` is combined with other options. */
export const untrust = defineCommand({
  name: "untrust",
  summary: "Take back what trust did",
  description: [
    "The root is that of a file, or it is fetched from the admin API of a running server. The server's own files stay as they are.",
  ],
  options: {
    cert: {
      kind: "text",
      short: "p",
      value: "file",
      completes: "file",
      about: "Root certificate, PEM, in place of that of a running server",
    },
    ca: {
      kind: "text",
      value: "id",
      about: "Which authority of the app pki",
      defaultText: "local",
    },
    ...adminOptions,
  },
  examples: [
    { line: "server untrust", about: "Trusts the authority local no more." },
    { line: "server untrust --cert root.crt", about: "Needs no running server." },
  ],
  async run({ cert, ca, address, config, adapter }) {
    if (cert !== "" && [ca, address, config].some((value) => value !== "")) {
      throw new StartError("--cert names the root by itself: it goes with no other option");
    }
    const { fetchRoot, printOutcomes, readRoot } = await import("../cli/trust-stores.ts");
    const { thisMachine } = await import("certificates/pki/trust/machine");
    const { removeRoot } = await import("certificates/pki/trust/trust-root");
    const root = cert === "" ? await fetchRoot(ca, address, config, adapter) : await readRoot(cert);
    return printOutcomes(await removeRoot(thisMachine(true), root), "no longer trusted by");
  },
});
