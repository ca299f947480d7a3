import { existsSync } from "node:fs";
import { lostSpans } from "../e2e/ingest-report.ts";
import { keepOption, renderBesideLanded } from "../report/landed-run.ts";
import { machineLine, reasonLines } from "../report/notes.ts";
import { printReport } from "../report/print-report.ts";
import { ingestColumns, queryColumn } from "../report/suite-columns.ts";
import type { RatioColumn } from "../report/table.ts";
import { startOurSystem } from "../suite/our-system.ts";
import { startPeerSystem } from "../suite/peer-system.ts";
import { measureSystem, type SuitePlan, type SystemReport } from "../suite/run-suite.ts";
import { Arguments, type OptionSpecs, optionHelp, UsageError } from "./arguments.ts";
import { loadOptions, loadSettings } from "./load-options.ts";

const options = {
  "warm-up": { value: "TIME", text: "load before anything is measured", fallback: "2s" },
  grpc: { value: "TIME", text: "load over gRPC", fallback: "20s" },
  http: { value: "TIME", text: "load over HTTP", fallback: "10s" },
  queries: { value: "N", text: "how often each query is asked; 0: no queries", fallback: "40" },
  peer: { value: "PATH", text: "Jaeger 1.62's all-in-one: the same load on it with Badger, and ratios" },
  ...keepOption,
  ...loadOptions,
} as const satisfies OptionSpecs;

/** The peer counts a span when it stores it; a dropped span is never counted, so the wait for it is short. */
const peerStoredStallMs = 5000;

const help = `Measures spans a second, processor time, memory, disk, and queries of this repository's tracing processes.

Usage: npm run bench [-- options]             the standard suite: starts the processes on free ports, on an empty
                                              temporary folder, sends a load, asks a few queries, prints a table
       npm run bench -- ingest [options]      only the load, against addresses that you give (ingest --help)
       npm run bench -- bare [options]        beside the engine alone, fed the same spans from files (bare --help)
       npm run bench -- micro [name]          hot paths alone, in one process each (micro --help)

Options of the suite:

${optionHelp(options)}
CPU seconds are those of the measured processes (collector and storage), from the first call until all spans were
found in the store. Nothing else should run on the machine; the load average is printed.
Exit code 1 when our processes lost acknowledged spans.
`;

/** `bench`: the standard suite. @returns the exit code */
export async function suiteCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(help);
    return 0;
  }
  if (args.has("peer") && !existsSync(args.text("peer"))) {
    throw new UsageError(`--peer "${args.text("peer")}" does not exist`);
  }
  const plan: SuitePlan = {
    warmUpMs: args.durationMs("warm-up"),
    grpcMs: args.durationMs("grpc"),
    httpMs: args.durationMs("http"),
    queryRequests: args.integer("queries", 0, 100_000),
    options: loadSettings(args),
  };
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  const ours = await measureSystem("ours", startOurSystem, plan, progress, signal);
  const peer = args.has("peer")
    ? await measureSystem(
        "peer",
        (folder, stop) => startPeerSystem(args.text("peer"), folder, stop),
        { ...plan, options: (run) => ({ ...plan.options(run), storedStallMs: peerStoredStallMs }) },
        progress,
        signal,
      )
    : undefined;
  printReport({ text: describe(ours, peer, keptOf(args)), json: { ours, peer } }, args.has("json"));
  return [ours.warmUp, ours.grpc, ours.http].some(lostSpans) ? 1 : 0;
}

/** The options that affect the results, and true when the results are saved. */
interface KeptRun {
  readonly options: string;
  readonly keep: boolean;
}

function keptOf(args: Arguments<keyof typeof options>): KeptRun {
  const deciding = [
    "warm-up",
    "grpc",
    "http",
    "queries",
    "rate",
    "batch",
    "concurrency",
    "connections",
  ] as const;
  return {
    options: [
      ...deciding.map((name) => `${name} ${args.text(name)}`),
      ...(args.has("gzip") ? ["gzip"] : []),
    ].join(", "),
    keep: args.has("keep"),
  };
}

function describe(ours: SystemReport, peer: SystemReport | undefined, kept: KeptRun): string {
  const [grpc, http] = ingestColumns(ours);
  const columns = [grpc, http];
  const queries = [queryColumn(ours)];
  const ratios: RatioColumn[] = [];
  const queryRatios: RatioColumn[] = [];
  if (peer !== undefined) {
    const [peerGrpc, peerHttp] = ingestColumns(peer);
    columns.push(peerGrpc, peerHttp);
    ratios.push(
      { title: "ours : peer, gRPC", ours: grpc, peer: peerGrpc },
      { title: "HTTP", ours: http, peer: peerHttp },
    );
    const peerQueries = queryColumn(peer);
    queries.push(peerQueries);
    queryRatios.push({ title: "ours : peer", ours: queries[0]!, peer: peerQueries });
  }
  const systems = peer === undefined ? [ours] : [ours, peer];
  return [
    `${renderBesideLanded({ command: "suite", ours: 2, ...kept }, columns, ratios)}\n`,
    ...(ours.queries.length === 0
      ? []
      : [`${renderBesideLanded({ command: "suite-queries", ours: 1, ...kept }, queries, queryRatios)}\n`]),
    ...systems.flatMap((system) => [
      ...reasonLines(`${system.title}, gRPC`, system.grpc),
      ...reasonLines(`${system.title}, HTTP`, system.http),
      ...system.notes,
    ]),
    machineLine({ ...ours.grpc.machine, loadAfter: (peer ?? ours).http.machine.loadAfter }),
  ].join("");
}
