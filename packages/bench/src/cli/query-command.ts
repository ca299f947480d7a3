import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { type AskedSystem, askEndpoints, type EndpointReport } from "../query/ask-endpoints.ts";
import { unasked } from "../query/http-questions.ts";
import { readSamples } from "../query/samples.ts";
import { machineLine } from "../report/notes.ts";
import { type Column, renderTable } from "../report/table.ts";
import { startFilledPeer } from "../store/filled-peer.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";
import { folderOf, hoursOf, startStoreOfHours, storeSizeSpecs } from "./store-sizes.ts";

const specs = {
  ...storeSizeSpecs,
  peer: { value: "PATH", text: "Jaeger 1.62's all-in-one: the same of a million spans in Badger." },
  times: { value: "N", text: "Requests of each kind.", fallback: "20" },
  json: { text: "Print the reports as JSON." },
  help: { text: "Print this." },
} satisfies OptionSpecs;

/** The results of one system. */
interface SystemReport {
  readonly title: string;
  readonly endpoints: readonly EndpointReport[];
}

/**
 * `bench query`: measures every endpoint of the query service over HTTP and gRPC, with stores of several sizes, and
 * compares with the public model.
 * @returns the exit code: 1 when requests failed, or an endpoint was not measured
 */
export async function queryCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const options = new Arguments(specs, argv);
  if (options.has("help")) {
    process.stdout.write(`Measures every endpoint of the query service, one request after another: p50 and p95.

Usage: npm run bench -- query --folder PATH [options]

${optionHelp(specs)}`);
    return 0;
  }
  const folder = folderOf(options);
  const sizes = hoursOf(options.text("hours"));
  const times = options.integer("times", 1, 100_000);
  const program = options.text("peer");
  const [loadBefore = 0] = loadavg();
  const reports: SystemReport[] = [];
  let missing: string[] = [];
  for (const hours of sizes) {
    const title = `ours, ${hours} million`;
    const system = await startStoreOfHours(folder, hours, signal);
    try {
      const { query, endUnixMs } = system;
      await query.healthy(signal);
      missing = unasked(await pathsOf(query.url));
      const asked = { url: query.url, grpcAddress: query.grpcAddress, isModel: false };
      reports.push({ title, endpoints: await askAll(title, asked, endUnixMs, times, signal) });
    } finally {
      await system.stop();
    }
  }
  if (program !== "") {
    reports.push(await askPeer(program, times, signal));
  }
  const [loadAfter = 0] = loadavg();
  const failed = reports.flatMap(({ title, endpoints }) =>
    endpoints
      .filter((endpoint) => endpoint.failed > 0)
      .map(
        ({ name, requests, failed: count, failure }) =>
          `${title}: ${name}: ${count} of ${requests} failed: ${failure}\n`,
      ),
  );
  if (options.has("json")) {
    process.stdout.write(`${JSON.stringify({ reports, missing }, undefined, 2)}\n`);
  } else {
    process.stdout.write(renderTable(reports.flatMap(columnsOf)));
    process.stdout.write(`\n${missing.map((path) => `not asked: ${path}\n`).join("")}${failed.join("")}`);
    process.stdout.write(machineLine({ cores: availableParallelism(), loadBefore, loadAfter }));
  }
  return failed.length === 0 && missing.length === 0 ? 0 : 1;
}

async function askAll(
  title: string,
  system: AskedSystem,
  endUnixMs: number,
  times: number,
  signal: AbortSignal,
): Promise<EndpointReport[]> {
  const samples = await readSamples(system.url, endUnixMs);
  return await askEndpoints(system, samples, times, signal, ({ name, latencyMs: { p50 } }) => {
    process.stderr.write(`${title}: ${name}: ${p50.toFixed(1)} ms\n`);
  });
}

async function askPeer(program: string, times: number, signal: AbortSignal): Promise<SystemReport> {
  const folder = await mkdtemp(join(tmpdir(), "bench-query-"));
  try {
    const peer = await startFilledPeer(program, folder, signal);
    try {
      const title = `Jaeger 1.62, ${(peer.stored / 1e6).toFixed(2)} million`;
      const asked = { url: peer.url, grpcAddress: peer.grpcAddress, isModel: true };
      return { title, endpoints: await askAll(title, asked, peer.endUnixMs, times, signal) };
    } finally {
      await peer.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the paths of the API's description. */
async function pathsOf(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, unknown> };
  return Object.keys(paths);
}

function columnsOf({ title, endpoints }: SystemReport): Column[] {
  return (["p50", "p95"] as const).map((percentile) => ({
    title: `${title}, ${percentile} ms`,
    figures: endpoints
      .filter(({ requests, failed }) => failed < requests)
      .map(({ name, latencyMs }) => ({ label: name, value: latencyMs[percentile], unit: "ms" })),
  }));
}
