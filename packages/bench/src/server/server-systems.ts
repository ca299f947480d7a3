import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestProcess } from "../suite/test-process.ts";
import { nginxConfig, type ServerPorts, serverConfig } from "./server-config.ts";

/** A web server that is measured. */
export interface ServerSystem {
  readonly name: string;
  readonly ports: ServerPorts;
  readonly process: TestProcess;
  /** True when the system has the admin API. */
  readonly hasAdmin: boolean;
}

export interface SystemPlace {
  /** An empty folder for this system. */
  readonly folder: string;
  /** Folder with the files to serve. */
  readonly files: string;
  readonly ports: ServerPorts;
  /**
   * Config for our server and Caddy that replaces the config of `bench server`; its admin endpoint must be
   * `ports.admin`.
   */
  readonly config?: unknown;
  /** Config of nginx that replaces the config of `bench server`. */
  readonly nginxConfig?: string;
}

const built = fileURLToPath(new URL("../../../admin-server/dist/server.cjs", import.meta.url));
/** The built program, as users run it; the sources when there is no build. */
const ourProgram = existsSync(built)
  ? built
  : fileURLToPath(new URL("../../../admin-server/bin/server.ts", import.meta.url));

async function jsonConfig({ folder, files, ports, config }: SystemPlace): Promise<string> {
  const path = join(folder, "config.json");
  await mkdir(folder, { recursive: true });
  await writeFile(path, JSON.stringify(config ?? serverConfig(ports, files, "x")));
  return path;
}

/** This repository's server, with a worker for each core. */
export async function startOurs(place: SystemPlace): Promise<ServerSystem> {
  const config = await jsonConfig(place);
  const process_ = new TestProcess({
    name: "ours",
    command: process.execPath,
    args: [ourProgram, "run", "--config", config, "--log-level", "error"],
    environment: {
      XDG_CONFIG_HOME: place.folder,
      XDG_DATA_HOME: place.folder,
      SERVER_SKIP_INSTALL_TRUST: "1",
    },
    healthUrl: `http://127.0.0.1:${place.ports.static}/`,
    watchesParent: false,
  });
  return { name: "ours", ports: place.ports, process: process_, hasAdmin: true };
}

/** @param command path of Caddy 2 */
export async function startCaddy(command: string, place: SystemPlace): Promise<ServerSystem> {
  const config = await jsonConfig(place);
  const process_ = new TestProcess({
    name: "Caddy",
    command,
    args: ["run", "--config", config],
    environment: {
      XDG_CONFIG_HOME: place.folder,
      XDG_DATA_HOME: place.folder,
      SERVER_SKIP_INSTALL_TRUST: "1",
    },
    healthUrl: `http://127.0.0.1:${place.ports.static}/`,
    watchesParent: false,
  });
  return { name: "Caddy", ports: place.ports, process: process_, hasAdmin: true };
}

/** @param command path of nginx */
export async function startNginx(command: string, place: SystemPlace): Promise<ServerSystem> {
  const config = join(place.folder, "nginx.conf");
  await mkdir(place.folder, { recursive: true });
  await writeFile(config, place.nginxConfig ?? nginxConfig(place.ports, place.files, availableParallelism()));
  const process_ = new TestProcess({
    name: "nginx",
    command,
    args: ["-p", place.folder, "-c", config],
    healthUrl: `http://127.0.0.1:${place.ports.static}/`,
    watchesParent: false,
  });
  return { name: "nginx", ports: place.ports, process: process_, hasAdmin: false };
}
