import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testedProgram } from "lifecycle/testing";
import { expect, test } from "vitest";
import { findPeer } from "../proxy/find-peer.ts";
import { askModelFlags, parseOwnOptions, plainDefault, readRecordedFlags } from "./model-flags.ts";

const run = promisify(execFile);
const patienceMs = 120_000;
const ours: Readonly<Record<string, string>> = {
  "jaeger-agent": "tracing-agent",
  "jaeger-collector": "tracing-collector",
  "jaeger-query": "tracing-query",
};
/** Alternative prefixes of option names; docs/migration-jaeger.md lists all differences. */
const otherNames = [["processor.jaeger-", "processor.tracing-"]] as const;
/** Options of stores that this project does not have. */
const notThere: ReadonlySet<string> = new Set(["memory.max-traces"]);
const otherDefaults: ReadonlySet<string> = new Set([
  "collector.http-server.read-timeout",
  "collector.num-workers",
  "collector.otlp.http.read-timeout",
  "collector.queue-size",
  "log-encoding",
  "reporter.grpc.host-port",
  "span-storage.type",
]);

test.each(Object.entries(ours))(
  "every flag of %s is one of %s, with its default and its environment variable",
  async (model, process_) => {
    const program = testedProgram(
      fileURLToPath(new URL(`../../../${process_}/bin/${process_}.ts`, import.meta.url)),
    );
    const { stdout } = await run(process.execPath, [program, "--help"]);
    const options = parseOwnOptions(stdout);
    const flags = Object.entries(readRecordedFlags()[model] ?? {});
    const differences: string[] = [];
    for (const [flag, modelDefault] of flags) {
      if (notThere.has(flag)) {
        continue;
      }
      const name = otherNames.reduce((text, [from, to]) => text.replace(from, to), flag);
      const option = options.get(name);
      if (option === undefined) {
        differences.push(`--${flag} is not there`);
        continue;
      }
      if (option.variable !== name.toUpperCase().replaceAll(/[.-]/g, "_")) {
        differences.push(`--${flag} is the variable ${option.variable}`);
      }
      const isOther = plainDefault(option.fallback) !== plainDefault(modelDefault);
      if (isOther !== otherDefaults.has(flag)) {
        differences.push(`--${flag} has the default "${option.fallback}", in the model "${modelDefault}"`);
      }
    }
    expect(differences).toEqual([]);
    expect(flags.length).toBeGreaterThan(35);
  },
  patienceMs,
);

for (const model of Object.keys(ours)) {
  const program = findPeer(model) ?? "";
  test.skipIf(program === "")(
    `${model}, where it is, prints the flags that were recorded`,
    async () => {
      expect(await askModelFlags(program)).toEqual(readRecordedFlags()[model]);
    },
    patienceMs,
  );
}
