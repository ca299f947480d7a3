import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import type { Figure } from "../report/figure.ts";
import { keepOption, renderBesideLanded } from "../report/landed-run.ts";
import { machineLine } from "../report/notes.ts";
import { printReport } from "../report/print-report.ts";
import { addedLatencyMs } from "../server/added-latency.ts";
import { startGrpcUpstream } from "../server/grpc-upstream.ts";
import { runH2Load } from "../server/h2-load.ts";
import { type LoadCase, measureThroughput } from "../server/measure-server.ts";
import { nginxProxy, nginxUpstream, proxyConfig } from "../server/proxy-systems.ts";
import type { ServerPorts } from "../server/server-config.ts";
import { type ServerSystem, startCaddy, startNginx, startOurs } from "../server/server-systems.ts";
import { runHandshakes } from "../server/tls-handshakes.ts";
import type { WrkLoad } from "../server/wrk.ts";
import { Arguments, type OptionSpecs, optionHelp, UsageError } from "./arguments.ts";

const options = {
  nginx: {
    value: "PATH",
    text: "nginx: the upstream of all, and a proxy to compare with",
    fallback: "/usr/sbin/nginx",
  },
  caddy: { value: "PATH", text: "Caddy 2: the same config and load, and ratios" },
  connections: { value: "N", text: "kept open by the clients", fallback: "64" },
  seconds: { value: "N", text: "of each load", fallback: "5" },
  rounds: {
    value: "N",
    text: "of which the medians are told; one more goes before, to warm up",
    fallback: "3",
  },
  ...keepOption,
  json: { text: "print the figures as JSON" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

/** nginx is configured for HTTP/1 without TLS only. */
const withTls = ["ours", "Caddy"];
const h2Connections = 4;
const h2Streams = 32;
/** A small gRPC message with its prefix. */
const message = Buffer.concat([Buffer.from([0, 0, 0, 0, 100]), Buffer.alloc(100, "x")]);

const overH2 = (sent?: Buffer) => (load: WrkLoad) =>
  runH2Load({
    url: load.url,
    seconds: load.seconds,
    connections: h2Connections,
    streams: h2Streams,
    ...(sent === undefined ? {} : { message: sent }),
  });

const cases: readonly LoadCase[] = [
  { label: "small body", url: (ports) => `http://127.0.0.1:${ports.static}/`, headers: [] },
  { label: "1 MB body", url: (ports) => `http://127.0.0.1:${ports.static}/1m.bin`, headers: [] },
  {
    label: "HTTPS, static",
    url: (ports) => `https://localhost:${ports.files}/static`,
    headers: [],
    only: withTls,
  },
  {
    label: "HTTPS, small body",
    url: (ports) => `https://localhost:${ports.files}/`,
    headers: [],
    only: withTls,
  },
  {
    label: "full TLS handshakes",
    url: (ports) => `https://localhost:${ports.files}/`,
    headers: [],
    only: withTls,
    run: runHandshakes,
  },
  {
    label: "HTTP/2 over TLS, static",
    url: (ports) => `https://localhost:${ports.files}/static`,
    headers: [],
    only: withTls,
    run: overH2(),
  },
  {
    label: "HTTP/2, small body",
    url: (ports) => `http://127.0.0.1:${ports.gzip}/`,
    headers: [],
    only: withTls,
    run: overH2(),
  },
  {
    label: "gRPC, unary",
    url: (ports) => `http://127.0.0.1:${ports.gzip}/bench.Echo/Unary`,
    headers: [],
    only: withTls,
    run: overH2(message),
  },
];

const portOf = (address: string | undefined) => Number(address?.split(":").at(-1));

async function freePorts(): Promise<ServerPorts> {
  const [first, secure, h2c, admin] = await freeAddresses(4);
  return {
    static: portOf(first),
    files: portOf(secure),
    gzip: portOf(h2c),
    hosts: 0,
    admin: portOf(admin),
  };
}

/** `bench proxy`. @returns the exit code: 1 when a request through our server failed */
export async function proxyCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(`Measures the reverse proxy, and Caddy and nginx beside it in the same run. Needs wrk and nginx.

Usage: npm run bench -- proxy [options]

${optionHelp(options)}`);
    return 0;
  }
  const nginx = args.text("nginx");
  for (const path of [nginx, ...(args.has("caddy") ? [args.text("caddy")] : [])]) {
    if (!existsSync(path)) {
      throw new UsageError(`"${path}" does not exist`);
    }
  }
  const folder = await mkdtemp(join(tmpdir(), "bench-proxy-"));
  const files = join(folder, "files");
  const plan = {
    connections: args.integer("connections", 1, 10_000),
    seconds: args.integer("seconds", 1, 3600),
    rounds: args.integer("rounds", 1, 100),
    reloads: 0,
    files,
  };
  const [loadBefore = 0] = loadavg();
  const started: ServerSystem[] = [];
  const grpcUpstream = await startGrpcUpstream();
  try {
    await mkdir(files);
    await writeFile(join(files, "1m.bin"), Buffer.alloc(1024 * 1024, "some text "));
    const upstreamPorts = await freePorts();
    const upstream = `127.0.0.1:${upstreamPorts.static}`;
    const upstreamFolder = join(folder, "upstream");
    const upstreamConfig = nginxUpstream(upstreamPorts.static, upstreamFolder, files);
    started.push(
      await startNginx(nginx, {
        folder: upstreamFolder,
        files,
        ports: upstreamPorts,
        nginxConfig: upstreamConfig,
      }),
    );
    const place = async (name: string) => {
      const ports = await freePorts();
      return {
        folder: join(folder, name),
        files,
        ports,
        config: proxyConfig(ports, upstream, grpcUpstream.address),
      };
    };
    const systems = [await startOurs(await place("ours"))];
    started.push(...systems);
    if (args.has("caddy")) {
      systems.push(await startCaddy(args.text("caddy"), await place("caddy")));
    }
    const beside = await place("nginx");
    systems.push(
      await startNginx(nginx, { ...beside, nginxConfig: nginxProxy(beside.ports, beside.folder, upstream) }),
    );
    started.push(...systems.slice(1));
    for (const system of started) {
      await system.process.healthy(signal);
    }
    const progress = (line: string) => void process.stderr.write(`${line}\n`);
    const throughput = await measureThroughput(systems, plan, progress, signal, cases);
    const columns: { title: string; figures: Figure[] }[] = [];
    for (const { name, ports } of systems) {
      const value = await addedLatencyMs(ports.static, upstreamPorts.static, signal);
      const added: Figure = { label: "added to the median, ms", value, unit: "ms", compared: true };
      columns.push({ title: name, figures: [...(throughput.get(name) ?? []), added] });
    }
    const [loadAfter = 0] = loadavg();
    const [ours, ...peers] = columns;
    if (ours === undefined) {
      return 1;
    }
    const deciding = (["connections", "seconds", "rounds"] as const).map(
      (name) => `${name} ${args.text(name)}`,
    );
    const table = renderBesideLanded(
      { command: "proxy", options: deciding.join(", "), ours: 1, keep: args.has("keep") },
      columns,
      peers.map((peer) => ({ title: `ours / ${peer.title}`, ours, peer })),
    );
    const machine = machineLine({ cores: availableParallelism(), loadBefore, loadAfter });
    printReport(
      {
        text: table + machine,
        json: Object.fromEntries(columns.map(({ title, figures }) => [title, figures])),
      },
      args.has("json"),
    );
    return ours.figures.some(({ label }) => label.includes("failed")) ? 1 : 0;
  } finally {
    await Promise.all(started.map((system) => system.process.stop()));
    await grpcUpstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}
