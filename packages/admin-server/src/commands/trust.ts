import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adminOptions } from "./config-options.ts";

/**
 * `server trust`. Exit codes: 0 when all trust stores have the root; 1 when any store fails, or when no server
 * responds.
 */
export const trust = defineCommand({
  name: "trust",
  summary: "Have this machine trust the root of a running server's authority",
  description: [
    "The root is fetched from the admin API and put into the trust store of the system, the databases of Firefox and Chromium (where certutil of NSS is installed) and the key store of Java (where JAVA_HOME names one). Without rights for the system's store, sudo asks for a password.",
    "A server that may do so does the same by itself when it first issues by the authority, unless install_trust is false or SERVER_SKIP_INSTALL_TRUST is set.",
  ],
  options: {
    ca: {
      kind: "text",
      value: "id",
      about: "Which authority of the app pki",
      defaultText: "local",
    },
    ...adminOptions,
  },
  examples: [
    { line: "server trust", about: "Trusts the authority local." },
    {
      line: "server trust --ca inner --address localhost:2020",
      about: "Trusts another one, of another server.",
    },
  ],
  async run({ ca, address, config, adapter }) {
    const { fetchRoot, printOutcomes } = await import("../cli/trust-stores.ts");
    const { thisMachine } = await import("certificates/pki/trust/machine");
    const { installRoot, isTrustedBySystem } = await import("certificates/pki/trust/trust-root");
    const root = await fetchRoot(ca, address, config, adapter);
    if (isTrustedBySystem(root)) {
      process.stdout.write("the system trusts it already\n");
      return exitCodes.success;
    }
    return printOutcomes(await installRoot(thisMachine(true), root), "trusted by");
  },
});
