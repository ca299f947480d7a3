import { parseArgs } from "node:util";
import { compareWithTempo, readKnownTempoDifferences } from "../src/tempo-api/compare-tempo.ts";
import { findTempo } from "../src/tempo-api/tempo-process.ts";
import { judge } from "../src/tracing-api/comparison/known-differences.ts";
import { verdictText } from "../src/tracing-api/comparison/verdict-text.ts";

const help = `Sends the same spans to Grafana Tempo and to our processes, asks both the same at what Grafana's Tempo data source
asks, and compares the answers. Starts both itself.

Usage: npm run conformance -- tempo [options]

  --peer <path>       the program tempo, or its folder (default: $PEERS, else packages/conformance/peers/bin)
  --searches <count>  TraceQL searches out of the grammar (default 300)
  --metrics <count>   TraceQL metrics out of the grammar (default 100)
  --seed <number>     of the grammar (default 1); known differences are those of seed 1

Exit code 0 when all differences are known ones, 2 when the program is not there.
`;

/** Runs the command `tempo`. @returns the exit code */
export async function tempoCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      peer: { type: "string" },
      searches: { type: "string", default: "300" },
      metrics: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const program = findTempo(values.peer);
  if (program === undefined) {
    console.error("skipped: Grafana Tempo's program, tempo, is not here; --help says where it is looked for");
    return 2;
  }
  const generated = {
    searches: Number(values.searches),
    metrics: Number(values.metrics),
    seed: Number(values.seed),
  };
  const { differences, questions } = await compareWithTempo(program, generated);
  const verdict = judge(differences, readKnownTempoDifferences());
  console.log(verdictText({ ...verdict, questions }, "known-tempo-differences.json"));
  return verdict.unknown.length + verdict.stale.length === 0 ? 0 : 1;
}
