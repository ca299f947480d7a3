import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { freeAddresses } from "lifecycle/testing";
import { processUsage } from "../e2e/measure/process-usage.ts";
import type { Figure } from "../report/figure.ts";
import { machineLine } from "../report/notes.ts";
import { renderTable } from "../report/table.ts";
import { openStreamTunnels } from "../server/open-stream-tunnels.ts";
import {
  askOver,
  echoThrough,
  openIdleConnections,
  openTunnels,
  startEchoUpstream,
} from "../server/open-tunnels.ts";
import { proxyConfig } from "../server/proxy-systems.ts";
import { type ServerSystem, startCaddy, startOurs } from "../server/server-systems.ts";
import { Arguments, type OptionSpecs, optionHelp, UsageError } from "./arguments.ts";

const options = {
  caddy: { value: "PATH", text: "Caddy 2: the same tunnels, and ratios" },
  tunnels: { value: "N", text: "kept open, idle", fallback: "10000" },
  plain: { text: "idle keep-alive connections in place of tunnels, which need half the files" },
  h2: { text: "tunnels as streams of HTTP/2 (RFC 8441), a hundred on a connection: half the files" },
  settle: { value: "SECONDS", text: "to wait before memory is looked at", fallback: "10" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

interface TunnelPlan {
  readonly tunnels: number;
  readonly settleSeconds: number;
  /** True: measures connections that wait for a request, instead of tunnels. */
  readonly plain: boolean;
  /** True: clients use HTTP/2, with many tunnels in each connection. */
  readonly h2: boolean;
}

/** Returns a function that opens and tries the connections of the plan. */
function opener(plan: TunnelPlan, ports: ServerSystem["ports"]) {
  const attempt =
    <Channel extends Duplex>(
      port: number,
      open: (port: number, count: number, signal: AbortSignal) => Promise<Channel[]>,
      tryOne: (channel: Channel) => Promise<void>,
    ) =>
    async (count: number, signal: AbortSignal) => {
      const channels = await open(port, count, signal);
      return channels.map((channel) => ({ tryOut: () => tryOne(channel), close: () => channel.destroy() }));
    };
  if (plan.plain) {
    return attempt(ports.static, openIdleConnections, askOver);
  }
  if (plan.h2) {
    return attempt(ports.gzip, openStreamTunnels, echoThrough);
  }
  return attempt(ports.static, openTunnels, echoThrough);
}

async function measure(system: ServerSystem, plan: TunnelPlan, signal: AbortSignal): Promise<Figure[]> {
  const { pid } = system.process;
  const open = opener(plan, system.ports);
  const what = plan.plain ? "connection" : "tunnel";
  // The first tunnels have costs that occur only once.
  for (const tunnel of await open(100, signal)) {
    tunnel.close();
  }
  await sleep(plan.settleSeconds * 1_000);
  const idle = processUsage(pid).rssBytes;
  const cpuBefore = processUsage(pid).cpuSeconds;
  const tunnels = await open(plan.tunnels, signal);
  const cpu = processUsage(pid).cpuSeconds - cpuBefore;
  await sleep(plan.settleSeconds * 1_000);
  const full = processUsage(pid).rssBytes;
  for (let index = 0; index < tunnels.length; index += Math.ceil(tunnels.length / 100)) {
    await tunnels[index]?.tryOut();
  }
  for (const tunnel of tunnels) {
    tunnel.close();
  }
  return [
    { label: "RSS idle, MiB", value: idle, unit: "mebibytes" },
    { label: `RSS with ${plan.tunnels} ${what}s, MiB`, value: full, unit: "mebibytes" },
    { label: `bytes a ${what}`, value: (full - idle) / plan.tunnels, unit: "count", compared: true },
    { label: "CPU-s to open them", value: cpu, unit: "cpuSeconds", compared: true },
  ];
}

/** `bench tunnels`. @returns the exit code */
export async function tunnelsCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(`Measures what idle WebSocket tunnels through the reverse proxy hold. Linux only.
Each needs four open files, two of them in this process; with --h2 two, one of them in this process: ulimit -n.

Usage: npm run bench -- tunnels [options]

${optionHelp(options)}`);
    return 0;
  }
  if (args.has("caddy") && !existsSync(args.text("caddy"))) {
    throw new UsageError(`--caddy "${args.text("caddy")}" does not exist`);
  }
  const plan: TunnelPlan = {
    tunnels: args.integer("tunnels", 1, 250_000),
    settleSeconds: args.integer("settle", 0, 600),
    plain: args.has("plain"),
    h2: args.has("h2"),
  };
  if (plan.plain && plan.h2) {
    throw new UsageError("--plain is without tunnels: not with --h2");
  }
  const folder = await mkdtemp(join(tmpdir(), "bench-tunnels-"));
  const upstream = await startEchoUpstream();
  const started: ServerSystem[] = [];
  const [loadBefore = 0] = loadavg();
  try {
    const place = async (name: string) => {
      const [front, secure, h2c, admin] = (await freeAddresses(4)).map((each) =>
        Number(each.split(":").at(-1)),
      );
      const ports = { static: front ?? 0, files: secure ?? 0, gzip: h2c ?? 0, hosts: 0, admin: admin ?? 0 };
      const config = proxyConfig(ports, upstream.address, upstream.address);
      return { folder: join(folder, name), files: folder, ports, config };
    };
    started.push(await startOurs(await place("ours")));
    if (args.has("caddy")) {
      started.push(await startCaddy(args.text("caddy"), await place("caddy")));
    }
    const columns: { title: string; figures: Figure[] }[] = [];
    for (const system of started) {
      await system.process.healthy(signal);
      columns.push({ title: system.name, figures: await measure(system, plan, signal) });
    }
    const [ours, ...peers] = columns;
    const compared =
      ours === undefined ? [] : peers.map((peer) => ({ title: `ours / ${peer.title}`, ours, peer }));
    const [loadAfter = 0] = loadavg();
    process.stdout.write(
      renderTable(columns, compared) + machineLine({ cores: availableParallelism(), loadBefore, loadAfter }),
    );
    return 0;
  } finally {
    await Promise.all(started.map((system) => system.process.stop()));
    upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}
