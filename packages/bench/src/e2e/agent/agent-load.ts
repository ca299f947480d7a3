import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";
import { thriftBatch } from "../../micro/thrift-spans.ts";
import { MemoryGroup } from "../measure/memory-group.ts";
import { processUsage } from "../measure/process-usage.ts";
import { sendPackets } from "./send-packets.ts";

const sink = fileURLToPath(new URL("sink-collector.ts", import.meta.url));
const agent = fileURLToPath(new URL("../../../../tracing-agent/dist/tracing-agent.cjs", import.meta.url));
const settleMs = 2_000;
const sampleMs = 200;

export interface AgentLoadOptions {
  readonly protocol: "compact" | "binary";
  readonly rate: number;
  readonly durationMs: number;
  /** Options of the agent, such as `--processor.tracing-compact.server-socket-buffer-size=…` */
  readonly agentFlags: readonly string[];
  /** Limit of memory in bytes for the agent's control group; absent: no control group. */
  readonly memoryLimitBytes?: number;
}

/** Memory in bytes: all memory, private memory, and memory shared as pages of files. */
export interface Memory {
  readonly rss: number;
  readonly anonymous: number;
  readonly files: number;
}

export interface AgentLoadReport {
  readonly packetBytes: number;
  readonly sent: number;
  /** Number of spans that the collector received. */
  readonly delivered: number;
  /** Packets or spans that the agent counted as lost, by metric and reason. */
  readonly lost: Readonly<Record<string, number>>;
  readonly cpuSecondsPerMillion: number;
  readonly idle: Memory;
  /** The highest usage of memory under the load. */
  readonly loaded: Memory;
  readonly after: Memory;
  readonly peakRss: number;
  /** Highest memory in bytes of the control group; absent without a control group. */
  readonly groupPeakBytes?: number;
}

/**
 * Starts the built agent and a collector that stores nothing, sends packets of one span each, and counts received and
 * lost spans. Works only on Linux.
 */
export async function agentLoad(options: AgentLoadOptions, signal: AbortSignal): Promise<AgentLoadReport> {
  const collector = spawn(process.execPath, [sink], { stdio: ["ignore", "pipe", "inherit"] });
  const children: ChildProcess[] = [collector];
  const { rate, durationMs, memoryLimitBytes } = options;
  const group = memoryLimitBytes === undefined ? undefined : new MemoryGroup(memoryLimitBytes);
  try {
    const [portLine] = (await once(createInterface(collector.stdout), "line")) as [string];
    const running = await startAgent(Number(portLine), options.agentFlags, group);
    children.push(running.child);
    const { pid = 0 } = running.child;
    await sleep(settleMs, undefined, { signal });
    const idle = memoryOf(pid);
    const cpuBefore = processUsage(pid).cpuSeconds;
    const packet = encodeAgentPacket(thriftBatch(1), options.protocol);
    let loaded = idle;
    const sampling = setInterval(() => {
      const now = memoryOf(pid);
      if (now.rss > loaded.rss) {
        loaded = now;
      }
    }, sampleMs);
    const load = { port: running.ports[options.protocol], packet, rate, durationMs };
    const sent = await sendPackets(load, signal).finally(() => clearInterval(sampling));
    await sleep(settleMs);
    if (running.child.exitCode !== null || running.child.signalCode !== null) {
      throw new Error(`the agent has ended, the system killed ${group?.kills ?? 0} for want of memory`);
    }
    const usage = processUsage(pid);
    const text = await (await fetch(running.metricsUrl)).text();
    const delivered = metric(text, "reporter_spans_submitted_total").get("") ?? 0;
    return {
      packetBytes: packet.length,
      sent,
      delivered,
      lost: lostOf(text),
      cpuSecondsPerMillion: ((usage.cpuSeconds - cpuBefore) / Math.max(delivered, 1)) * 1e6,
      idle,
      loaded,
      after: memoryOf(pid),
      peakRss: usage.rssPeakBytes,
      ...(group === undefined ? {} : { groupPeakBytes: group.peakBytes }),
    };
  } finally {
    await Promise.all(children.map(ended));
    group?.close();
  }
}

/** Kills a process, and waits for its end. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const exit = once(child, "exit");
  child.kill();
  await exit;
}

async function startAgent(collectorPort: number, flags: readonly string[], group: MemoryGroup | undefined) {
  const adminPort = await freePort();
  const any = "127.0.0.1:0";
  const command = [
    process.execPath,
    ...[
      agent,
      ...["--processor.zipkin-compact.server-host-port", any],
      ...["--processor.tracing-compact.server-host-port", any],
      ...["--processor.tracing-binary.server-host-port", any],
      ...["--http-server.host-port", any],
      ...["--admin.http.host-port", `127.0.0.1:${adminPort}`],
      ...["--reporter.grpc.host-port", `127.0.0.1:${collectorPort}`],
      "--log-encoding=json",
      ...flags,
    ],
  ];
  const [program, args] = group?.commandLine(command) ?? [process.execPath, command.slice(1)];
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "pipe"] });
  const ports = { compact: 0, binary: 0 };
  for await (const line of createInterface(child.stderr)) {
    const { msg = "", port = 0 } = JSON.parse(line) as { msg?: string; port?: number };
    if (msg.startsWith("cannot start")) {
      throw new Error(`the agent: ${msg}`);
    }
    if (msg.startsWith("Thrift compact")) {
      ports.compact = port;
    }
    if (msg.startsWith("Thrift binary")) {
      ports.binary = port;
    }
    if (msg === "health: available") {
      break;
    }
  }
  child.stderr.resume();
  return { child, ports, metricsUrl: `http://127.0.0.1:${adminPort}/metrics` };
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0) * 1024;
  return { rss: bytes("VmRSS"), anonymous: bytes("RssAnon"), files: bytes("RssFile") };
}

/** The values of one of the agent's metrics; the keys are the labels as text. */
function metric(text: string, name: string): Map<string, number> {
  const lines = text.matchAll(new RegExp(`^tracing_agent_${name}(?:\\{(.*)\\})? (\\S+)$`, "gm"));
  return new Map([...lines].map(([, labels = "", value]) => [labels, Number(value)]));
}

function lostOf(text: string): Record<string, number> {
  const lost: Record<string, number> = {};
  for (const [what, name] of [
    ["packets dropped", "thrift_udp_server_packets_dropped_total"],
    ["packets unreadable", "thrift_udp_t_processor_handler_errors_total"],
    ["spans refused", "reporter_spans_failures_total"],
  ] as const) {
    for (const [labels, value] of metric(text, name)) {
      const reason = /reason="([^"]*)"/.exec(labels)?.[1] ?? "";
      if (value > 0) {
        lost[`${what}: ${reason}`] = (lost[`${what}: ${reason}`] ?? 0) + value;
      }
    }
  }
  return lost;
}
