#!/usr/bin/env node
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { launch } from "../src/launch.ts";
import { services } from "../src/services.ts";
import { printStatus } from "../src/status.ts";

const help = `Starts tracing-storage, tracing-collector, tracing-agent, tracing-query and admin-server on their default ports.

Usage: npm start [-- options]

  --demo              also run the example shop, which sends traces all the time
  --data <path>       folder for all data (default ./data)
  --clickhouse <url>  keep spans in a ClickHouse elsewhere; tracing-storage is not started (CLICKHOUSE_URL)
  --server-only       start the web server alone
  --status            start nothing; ask each process how it is. Ends with 0 when all are healthy, otherwise with 1
  --help              print this text

Ctrl-C, or SIGTERM, stops everything in order; the data stays for the next start. A process that ends by itself is started
again, after growing pauses, while the others go on.

Ends with 0 when it was told to stop, 1 when something could not start, 2 when it was told twice and killed the rest.
`;

function options() {
  try {
    return parseArgs({
      options: {
        demo: { type: "boolean", default: false },
        data: { type: "string", default: "data" },
        clickhouse: { type: "string", default: process.env.CLICKHOUSE_URL ?? "" },
        "server-only": { type: "boolean", default: false },
        status: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${help}`);
    process.exit(1);
  }
}

const values = options();
const scope = {
  dataFolder: resolve(values.data),
  demo: values.demo,
  serverOnly: values["server-only"],
  ...(values.clickhouse === "" ? {} : { clickhouse: values.clickhouse }),
};
if (values.help) {
  process.stdout.write(help);
} else if (values.status) {
  process.exit((await printStatus(services(scope))) ? 0 : 1);
} else {
  process.exit(await launch(scope));
}
