import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";
import { processUsage } from "../e2e/measure/process-usage.ts";
import type { Figure } from "../report/figure.ts";
import { hostRouteList, hostRoutes, type ServerPorts, serverConfig } from "./server-config.ts";
import type { ServerSystem } from "./server-systems.ts";
import { runWrk, type WrkLoad, type WrkResult } from "./wrk.ts";

export interface ServerPlan {
  readonly connections: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly reloads: number;
  /** Folder with the files to serve. */
  readonly files: string;
}

/** A kind of request that is measured on all systems. */
export interface LoadCase {
  readonly label: string;
  readonly url: (ports: ServerPorts) => string;
  readonly headers: readonly string[];
  /** Function that sends the load; by default wrk. */
  readonly run?: (load: WrkLoad) => Promise<WrkResult>;
  /** Names of the systems that run this case; all systems when absent. */
  readonly only?: readonly string[];
}

const serverCases: readonly LoadCase[] = [
  { label: "static response", url: (ports) => `http://127.0.0.1:${ports.static}/`, headers: [] },
  { label: "1 KB file", url: (ports) => `http://127.0.0.1:${ports.files}/1k.txt`, headers: [] },
  { label: "1 MB file", url: (ports) => `http://127.0.0.1:${ports.files}/1m.bin`, headers: [] },
  {
    label: "gzip of 20 KB",
    url: (ports) => `http://127.0.0.1:${ports.gzip}/20k.txt`,
    headers: ["Accept-Encoding: gzip"],
  },
  {
    label: `last of ${hostRoutes} hosts`,
    url: (ports) => `http://127.0.0.1:${ports.hosts}/`,
    headers: [`Host: h${hostRoutes - 1}.example`],
  },
];

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * Loads every system in turn, round after round, so that other work on the machine affects all of them equally.
 * @returns results by the name of the system
 */
export async function measureThroughput(
  systems: readonly ServerSystem[],
  plan: ServerPlan,
  progress: (line: string) => void,
  signal: AbortSignal,
  cases: readonly LoadCase[] = serverCases,
): Promise<Map<string, Figure[]>> {
  const figures = new Map<string, Figure[]>(systems.map(({ name }) => [name, []]));
  for (const { label, url, headers, run = runWrk, only } of cases) {
    const loaded = systems.filter(({ name }) => only === undefined || only.includes(name));
    const seen = new Map(
      loaded.map(({ name }) => [name, { perSecond: [] as number[], perCpu: [] as number[], failed: 0 }]),
    );
    for (let round = 0; round <= plan.rounds; round++) {
      for (const system of loaded) {
        signal.throwIfAborted();
        const before = processUsage(system.process.pid).cpuSeconds;
        const load = {
          url: url(system.ports),
          headers,
          connections: plan.connections,
          seconds: plan.seconds,
        };
        const result = await run(load);
        const cpu = processUsage(system.process.pid).cpuSeconds - before;
        const of = seen.get(system.name);
        if (round > 0 && of !== undefined) {
          // The first round is a warm-up.
          of.perSecond.push(result.requestsPerSecond);
          of.perCpu.push(cpu === 0 ? 0 : result.requests / cpu);
          of.failed += result.failed;
        }
      }
    }
    for (const [name, { perSecond, perCpu, failed }] of seen) {
      progress(`${name}: ${label}: ${median(perSecond).toFixed(0)} a second`);
      figures
        .get(name)
        ?.push(
          { label: `${label}, requests/s`, value: median(perSecond), unit: "perSecond", compared: true },
          { label: `  ${label}, a CPU-second`, value: median(perCpu), unit: "perSecond", compared: true },
          ...(failed > 0 ? [{ label: `  ${label}, failed`, value: failed, unit: "count" as const }] : []),
        );
    }
  }
  return figures;
}

/** Number of connections to an admin endpoint that were cut, by port: Caddy cuts connections while it loads. */
const cutConnections = new Map<number, number>();

/** Number of attempts after which a cut connection is an error. */
const maxTries = 5;

function isCut(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "ECONNREFUSED";
}

/**
 * Sends a request to the admin API; when the connection is cut, this is counted and the request repeated. @returns
 * milliseconds of the last attempt
 */
export async function askAgain(port: number, ask: () => Promise<number>): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!isCut(error) || attempt === maxTries) {
        throw error;
      }
      cutConnections.set(port, (cutConnections.get(port) ?? 0) + 1);
      await sleep(50 * attempt);
    }
  }
}

function admin(
  { admin: port }: ServerPorts,
  method: "POST" | "PATCH" | "GET",
  path: string,
  body?: unknown,
): Promise<number> {
  return askAgain(port, () => askAdmin(port, method, path, body));
}

async function askAdmin(
  port: number,
  method: "POST" | "PATCH" | "GET",
  path: string,
  body?: unknown,
): Promise<number> {
  const startedAt = performance.now();
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) {
    throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  }
  return performance.now() - startedAt;
}

async function times(count: number, work: (index: number) => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let index = 0; index < count; index++) {
    taken.push(await work(index));
  }
  return median(taken);
}

/** Measures the duration of config changes without other load. */
export async function measureChanges(
  { ports }: ServerSystem,
  { files, reloads }: ServerPlan,
): Promise<Figure[]> {
  const count = Math.max(10, Math.min(40, reloads));
  const leaf = `/config/apps/http/servers/hosts/routes/${hostRoutes / 2}/handle/0/body`;
  const ofThousand = await times(count, (index) =>
    admin(ports, "POST", "/load", serverConfig(ports, files, `all ${index}`)),
  );
  const patch = await times(count, (index) => admin(ports, "PATCH", leaf, `leaf ${index}`));
  const get = await times(count, () => admin(ports, "GET", leaf));
  const small = (index: number) => {
    const config = serverConfig(ports, files, "x") as { apps: { http: { servers: object } } };
    const listen = [`127.0.0.1:${ports.hosts}`];
    config.apps.http.servers = {
      one: { listen, automatic_https: { disable: true }, routes: hostRouteList(1, `one ${index}`) },
    };
    return config;
  };
  const ofOne = await times(count, (index) => admin(ports, "POST", "/load", small(index)));
  await admin(ports, "POST", "/load", serverConfig(ports, files, "x"));
  const ms = (label: string, value: number): Figure => ({ label, value, unit: "ms", compared: true });
  return [
    ms("POST /load of 1 route, ms", ofOne),
    ms(`POST /load of ${hostRoutes} routes, ms`, ofThousand),
    ms(`PATCH of a leaf of ${hostRoutes} routes, ms`, patch),
    ms("GET of a leaf, ms", get),
  ];
}

/** Reloads while clients send requests, and counts failed requests. */
export async function measureReloads({ ports }: ServerSystem, plan: ServerPlan): Promise<Figure[]> {
  let failed = 0;
  let requests = 0;
  let done = false;
  const clients = (async () => {
    while (!done) {
      const load = {
        url: `http://127.0.0.1:${ports.static}/`,
        headers: [],
        connections: plan.connections,
        seconds: 2,
      };
      const result = await runWrk(load);
      failed += result.failed;
      requests += result.requests;
    }
  })();
  await sleep(300);
  try {
    for (let index = 0; index < plan.reloads; index++) {
      await admin(ports, "POST", "/load", serverConfig(ports, plan.files, `reload ${index}`));
    }
  } finally {
    done = true;
    await clients;
  }
  return [
    { label: `requests during ${plan.reloads} reloads`, value: requests, unit: "count" },
    { label: "  refused, reset or failed", value: failed, unit: "count" },
    { label: "  admin connections cut", value: cutConnections.get(ports.admin) ?? 0, unit: "count" },
  ];
}
