import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { builtPeersFolder } from "../tracing-api/comparison/public-model.ts";

/** Data sources of Grafana that our query service supports. */
export const dataSourceTypes = ["jaeger", "tempo"] as const;
export type DataSourceType = (typeof dataSourceTypes)[number];

/** A running program of a Grafana data source. */
export interface PluginProcess {
  /** Address of the process's socket, in the form for gRPC. */
  readonly address: string;
  /** Log of the process since its start. */
  log(): string;
  close(): Promise<void>;
}

/** Suffixes of the programs in the archives from which Grafana installs data sources, such as `_linux_amd64`. */
const architecture = { x64: "amd64", ia32: "386" }[process.arch as string] ?? process.arch;
const suffixes = ["", `_${process.platform}_${architecture}`];

/** Programs of all data sources that were found. @param folder see `findPlugin` */
export function findPlugins(folder?: string): Partial<Record<DataSourceType, string>> {
  const found = dataSourceTypes.map((type) => [type, findPlugin(type, folder)] as const);
  return Object.fromEntries(found.filter(([, program]) => program !== undefined));
}

/**
 * Path of the program of a data source, which has the same name as in Grafana's plugin folder.
 * @param folder folder with the programs, or with one folder for each data source; by default `GRAFANA_PLUGINS`,
 *   otherwise the folder where peers are built
 * @returns undefined when there is no such program
 */
function findPlugin(type: DataSourceType, folder = process.env.GRAFANA_PLUGINS): string | undefined {
  const found = folder ?? builtPeersFolder;
  return suffixes
    .map((suffix) => `gpx_grafana-${type}-datasource${suffix}`)
    .flatMap((name) => [join(found, name), join(found, type, name)])
    .find((path) => existsSync(path));
}

/**
 * The handshake line: version of the core protocol, version of Grafana's protocol, kind of network, address, protocol.
 */
const handshake = /^1\|2\|unix\|([^|]+)\|grpc\b/;
const startsWithinMs = 60_000;

/**
 * Starts a data source as Grafana does: with HashiCorp's plugin protocol, over a socket in a temporary folder.
 * @throws Error with the log when the process does not print its address
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
    // The process has no data to save, so it is killed.
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
    // The reader stays attached, so that the pipe of standard output never fills.
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
