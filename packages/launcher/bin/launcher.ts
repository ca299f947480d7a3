#!/usr/bin/env node
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "../src/launch.ts";

const help = `Starts tracing-storage, tracing-collector, tracing-agent, tracing-query and admin-server on their default ports.

Usage: npm start [-- options]

  --demo         also run the example shop, which sends traces all the time
  --data <path>  folder for all data (default ./data)
  --help         print this text

Ctrl-C stops everything in order; the data stays for the next start. A process that dies is started again.
`;

function options() {
  try {
    return parseArgs({
      options: {
        demo: { type: "boolean", default: false },
        data: { type: "string", default: "data" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${help}`);
    process.exit(1);
  }
}

const { demo, data, help: wantsHelp } = options();
if (wantsHelp) {
  process.stdout.write(help);
} else {
  process.exit(await launch({ dataFolder: resolve(data), demo }));
}
