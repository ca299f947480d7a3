import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { builtPeersFolder } from "../tracing-api/comparison/public-model.ts";

/** Data sources of Grafana that ours answers. */
export const dataSourceTypes = ["jaeger", "tempo"] as const;
export type DataSourceType = (typeof dataSourceTypes)[number];

/** A running data source of Grafana's. */
export interface PluginProcess {
  /** Its socket, as gRPC names it. */
  readonly address: string;
  /** The log of the process so far. */
  log(): string;
  close(): Promise<void>;
}

/** The suffix of programs in the archives that Grafana installs data sources from, such as `_linux_amd64`. */
const architecture = { x64: "amd64", ia32: "386" }[process.arch as string] ?? process.arch;
const suffixes = ["", `_${process.platform}_${architecture}`];

/** The programs of all of them that are there. @param folder see `findPlugin` */
export function findPlugins(folder?: string): Partial<Record<DataSourceType, string>> {
  const found = dataSourceTypes.map((type) => [type, findPlugin(type, folder)] as const);
  return Object.fromEntries(found.filter(([, program]) => program !== undefined));
}

/**
 * The program of one of Grafana's data sources, as it lies in Grafana's folder of plugins.
 * @param folder with the programs, or with one folder for each data source; else what `GRAFANA_PLUGINS` says, else where the
 *   other programs are built
 * @returns undefined when it is not there
 */
function findPlugin(type: DataSourceType, folder = process.env.GRAFANA_PLUGINS): string | undefined {
  const found = folder ?? builtPeersFolder;
  return suffixes
    .map((suffix) => `gpx_grafana-${type}-datasource${suffix}`)
    .flatMap((name) => [join(found, name), join(found, type, name)])
    .find((path) => existsSync(path));
}

/** Shake of hands: version of the core protocol, of Grafana's, kind of network, address, protocol. */
const handshake = /^1\|2\|unix\|([^|]+)\|grpc\b/;
const startsWithinMs = 60_000;

/**
 * Starts a data source as Grafana does: by HashiCorp's protocol of plugins, over a socket in a folder of its own.
 * @throws Error with its log when it does not say where it listens
 */
export async function startPlugin(program: string): Promise<PluginProcess> {
  const folder = mkdtempSync(join(tmpdir(), "grafana-plugin-"));
  const child = spawn(program, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
      grafana_plugin_type: "datasource",
      PLUGIN_PROTOCOL_VERSIONS: "2",
      PLUGIN_UNIX_SOCKET_DIR: folder,
    },
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-20_000);
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = async () => {
    // It has nothing to keep.
    child.kill("SIGKILL");
    await closed;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const socket = await socketOf(child);
    return { address: `unix:${socket}`, log: () => log, close };
  } catch (error) {
    await close();
    throw new Error(`${program} does not start: ${log.slice(-2_000)}`, { cause: error });
  }
}

function socketOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it says nothing")), startsWithinMs);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`it ended with ${code}`)));
    if (child.stdout === null) {
      return;
    }
    // Stays, so that its standard output never fills.
    createInterface(child.stdout).on("line", (line) => {
      const [, socket] = handshake.exec(line) ?? [];
      if (socket === undefined) {
        return;
      }
      clearTimeout(timer);
      resolve(socket);
    });
  });
}
