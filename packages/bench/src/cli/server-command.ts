import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processUsage } from "../e2e/measure/process-usage.ts";
import type { Figure } from "../report/figure.ts";
import { keepOption, type LandedTable, renderBesideLanded } from "../report/landed-run.ts";
import { machineLine } from "../report/notes.ts";
import { printReport } from "../report/print-report.ts";
import {
  measureChanges,
  measureReloads,
  measureThroughput,
  type ServerPlan,
} from "../server/measure-server.ts";
import type { ServerPorts } from "../server/server-config.ts";
import { type ServerSystem, startCaddy, startNginx, startOurs } from "../server/server-systems.ts";
import { Arguments, type OptionSpecs, optionHelp, UsageError } from "./arguments.ts";

const options = {
  caddy: { value: "PATH", text: "Caddy 2: the same config and load, and ratios" },
  nginx: { value: "PATH", text: "nginx: the same load" },
  connections: { value: "N", text: "kept open by the clients", fallback: "64" },
  seconds: { value: "N", text: "of each load", fallback: "5" },
  rounds: {
    value: "N",
    text: "of which the medians are told; one more goes before, to warm up",
    fallback: "3",
  },
  reloads: { value: "N", text: "under load", fallback: "200" },
  ...keepOption,
  json: { text: "print the figures as JSON" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

/** Milliseconds without requests after which a system is idle: the garbage of its start has been collected by then. */
const idleAfterMs = 6_000;

async function freePorts(): Promise<ServerPorts> {
  const servers = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      return server;
    }),
  );
  const [first = 0, files = 0, gzip = 0, hosts = 0, admin = 0] = servers.map(
    (server) => (server.address() as { port: number }).port,
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return { static: first, files, gzip, hosts, admin };
}

async function writeFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const line = "The quick brown fox jumps over the lazy dog and runs into the next line of text. ";
  const words = Array.from({ length: 400 }, (_, index) => `${line.slice(index % 40)} ${index * 7919}`).join(
    "\n",
  );
  await writeFile(join(folder, "1k.txt"), words.slice(0, 1024));
  await writeFile(join(folder, "20k.txt"), words.slice(0, 20 * 1024));
  await writeFile(join(folder, "1m.bin"), Buffer.alloc(1024 * 1024, words));
}

/** `bench server`. @returns the exit code: 1 when a request to our server failed during reloads */
export async function serverCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(`Measures the web server, and Caddy and nginx beside it in the same run. Needs wrk.

Usage: npm run bench -- server [options]

${optionHelp(options)}`);
    return 0;
  }
  for (const name of ["caddy", "nginx"] as const) {
    if (args.has(name) && !existsSync(args.text(name))) {
      throw new UsageError(`--${name} "${args.text(name)}" does not exist`);
    }
  }
  const folder = await mkdtemp(join(tmpdir(), "bench-server-"));
  const plan: ServerPlan = {
    connections: args.integer("connections", 1, 10_000),
    seconds: args.integer("seconds", 1, 3600),
    rounds: args.integer("rounds", 1, 100),
    reloads: args.integer("reloads", 0, 100_000),
    files: join(folder, "files"),
  };
  const [loadBefore = 0] = loadavg();
  const systems: ServerSystem[] = [];
  try {
    await writeFiles(plan.files);
    const place = async (name: string) => ({
      folder: join(folder, name),
      files: plan.files,
      ports: await freePorts(),
    });
    systems.push(await startOurs(await place("ours")));
    if (args.has("caddy")) {
      systems.push(await startCaddy(args.text("caddy"), await place("caddy")));
    }
    if (args.has("nginx")) {
      systems.push(await startNginx(args.text("nginx"), await place("nginx")));
    }
    for (const system of systems) {
      await system.process.healthy(signal);
    }
    const columns = await measureSystems(systems, plan, signal);
    const [loadAfter = 0] = loadavg();
    const machine = machineLine({ cores: availableParallelism(), loadBefore, loadAfter });
    printReport(
      {
        text: tableOf(columns, keptOf(args)) + machine,
        json: Object.fromEntries(columns.map(({ title, figures }) => [title, figures])),
      },
      args.has("json"),
    );
    const [ours] = columns;
    return ours?.figures.some(({ label, value }) => label.includes("refused") && value > 0) ? 1 : 0;
  } finally {
    await Promise.all(systems.map((system) => system.process.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

interface SystemColumn {
  readonly title: string;
  readonly figures: Figure[];
}

async function measureSystems(
  systems: readonly ServerSystem[],
  plan: ServerPlan,
  signal: AbortSignal,
): Promise<SystemColumn[]> {
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  await sleep(idleAfterMs, undefined, { signal });
  const idle = new Map(systems.map(({ name, process: { pid } }) => [name, processUsage(pid).rssBytes]));
  const throughput = await measureThroughput(systems, plan, progress, signal);
  const columns: SystemColumn[] = [];
  for (const system of systems) {
    const figures = [...(throughput.get(system.name) ?? [])];
    if (system.hasAdmin) {
      progress(`${system.name}: changes`);
      figures.push(...(await measureChanges(system, plan)), ...(await measureReloads(system, plan)));
    }
    figures.push(
      { label: "RSS idle, MiB", value: idle.get(system.name) ?? 0, unit: "mebibytes" },
      {
        label: "RSS after the load, MiB",
        value: processUsage(system.process.pid).rssBytes,
        unit: "mebibytes",
      },
    );
    columns.push({ title: system.name, figures });
  }
  return columns;
}

function keptOf(args: Arguments<keyof typeof options>): LandedTable {
  const deciding = ["connections", "seconds", "rounds", "reloads"] as const;
  const text = deciding.map((name) => `${name} ${args.text(name)}`).join(", ");
  return { command: "server", options: text, ours: 1, keep: args.has("keep") };
}

function tableOf(columns: readonly SystemColumn[], kept: LandedTable): string {
  const [ours, ...peers] = columns;
  return ours === undefined
    ? ""
    : renderBesideLanded(
        kept,
        columns,
        peers.map((peer) => ({ title: `ours / ${peer.title}`, ours, peer })),
      );
}
