#!/usr/bin/env node
import { parseArgs } from "node:util";
import { type Addresses, runSuites } from "../src/suite.ts";
import { suites } from "../src/suites.ts";
import { adminCommand } from "./admin.ts";
import { commandsCommand } from "./commands.ts";
import { compareCommand } from "./compare.ts";
import { grafanaCommand } from "./grafana.ts";
import { serverfileCommand } from "./serverfile.ts";
import { storageIntegrationCommand } from "./storage-integration.ts";
import { tempoCommand } from "./tempo.ts";
import { twinsCommand } from "./twins.ts";

if (process.argv[2] === "admin") {
  process.exit(await adminCommand(process.argv.slice(3)));
}
if (process.argv[2] === "commands") {
  process.exit(await commandsCommand(process.argv.slice(3)));
}
if (process.argv[2] === "compare") {
  process.exit(await compareCommand(process.argv.slice(3)));
}
if (process.argv[2] === "grafana") {
  process.exit(await grafanaCommand(process.argv.slice(3)));
}
if (process.argv[2] === "serverfile") {
  process.exit(await serverfileCommand(process.argv.slice(3)));
}
if (process.argv[2] === "storage") {
  process.exit(await storageIntegrationCommand(process.argv.slice(3)));
}
if (process.argv[2] === "tempo") {
  process.exit(await tempoCommand(process.argv.slice(3)));
}
if (process.argv[2] === "twins") {
  process.exit(await twinsCommand(process.argv.slice(3)));
}

const options = {
  "otlp-http": { type: "string", default: "http://127.0.0.1:4318" },
  "otlp-grpc": { type: "string", default: "127.0.0.1:4317" },
  "collector-grpc": { type: "string", default: "127.0.0.1:14250" },
  query: { type: "string", default: "http://127.0.0.1:16686" },
  tempo: { type: "string", default: "http://127.0.0.1:16686/tempo" },
  "query-grpc": { type: "string", default: "127.0.0.1:16685" },
  admin: { type: "string", default: "http://127.0.0.1:2019" },
  help: { type: "boolean", short: "h", default: false },
} as const;

const help = `Checks the public promises of running processes from outside.

Usage: npm run conformance [-- options]
       npm run conformance -- compare [--help]     compares with the public model
       npm run conformance -- admin [--help]       compares the admin API with its public model
       npm run conformance -- commands [--help]    compares the command line with its public model
       npm run conformance -- grafana [--help]     asks through Grafana's own data sources
       npm run conformance -- serverfile [--help]  compares what serverfiles become with its public model
       npm run conformance -- storage [--help]     runs the public model's storage suite
       npm run conformance -- tempo [--help]       compares what answers Grafana's Tempo data source with Tempo
       npm run conformance -- twins [--help]       runs drawn sites beside the public model, and compares all that is seen

${Object.entries(options)
  .filter(([name]) => name !== "help")
  .map(
    ([name, { default: fallback }]) =>
      `  --${name.padEnd(16)} address (default ${fallback}); "" skips what needs it`,
  )
  .join("\n")}

It sends spans to the collector, and CHANGES the web server's configuration for a moment (and puts it back).
Exit code 0 when nothing failed.
`;

const { values } = parseArgs({ options });
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const given: [keyof Addresses, string][] = [
  ["otlpHttp", values["otlp-http"]],
  ["otlpGrpc", values["otlp-grpc"]],
  ["collectorGrpc", values["collector-grpc"]],
  ["query", values.query],
  ["tempo", values.tempo],
  ["queryGrpc", values["query-grpc"]],
  ["admin", values.admin],
];
const addresses: Addresses = Object.fromEntries(given.filter(([, address]) => address !== ""));
const results = await runSuites(suites, addresses, ({ suite, name, outcome, reason }) => {
  const mark = { passed: "ok     ", failed: "FAILED ", skipped: "skipped" }[outcome];
  console.log(`${mark} ${suite}: ${name}${reason === undefined ? "" : `\n          ${reason}`}`);
});
const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length;
console.log(`\n${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`);
process.exit(count("failed") === 0 ? 0 : 1);
