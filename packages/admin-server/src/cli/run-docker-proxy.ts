import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ownAddressIn, readControllerNetwork } from "container-labels/controlled-servers";
import { readEngineAddress } from "container-labels/engine/engine-address";
import { EngineClient } from "container-labels/engine/engine-client";
import { ownContainerId } from "container-labels/engine/own-container";
import { followLabels } from "container-labels/follow-labels";
import type { Logger } from "lifecycle";
import { StartError } from "lifecycle/errors";
import { parseGoDuration } from "lifecycle/go-duration";
import { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { messageOf } from "server-core/errors";
import { encodeJson } from "server-core/json/encode-json";
import { parseJson } from "server-core/json/parse-json";
import type { Server } from "../server.ts";
import { standardAdapters } from "../standard-adapters.ts";
import { askAdmin } from "./ask-admin.ts";
import { runServer, type ServerRun } from "./run-server.ts";

/** The arguments of `server docker-proxy`. */
export interface DockerProxyRun extends Pick<ServerRun, "workers" | "logLevel" | "logEncoding"> {
  /**
   * - `standalone`: reads labels of containers, and serves their sites itself
   * - `controller`: follows labels and sends the config to servers in containers
   * - `server`: waits for a controller, and serves the config that the controller sends
   */
  readonly mode: "standalone" | "controller" | "server";
  /** Sockets of container engines; empty: the socket named in the environment. */
  readonly sockets: readonly string[];
  /** Folders with client certificates, one folder for each socket. */
  readonly certificates: readonly string[];
  readonly versions: readonly string[];
  /** Range of the controller's addresses; "" for any. */
  readonly controllerNetwork: string;
  /**
   * Networks through which upstreams are reached. Default: the networks of this container, or any network if the server
   * runs outside of containers.
   */
  readonly ingressNetworks: readonly string[];
  /** A serverfile to which labels add sites; "": no file. */
  readonly file: string;
  /** First word of labels; default: `caddy`. */
  readonly prefix: string;
  /** True: a site with invalid labels is left out. False: a site with invalid labels blocks every change. */
  readonly leavesOutFaults: boolean;
  /** True: labels of stopped containers are also used. */
  readonly readsStopped: boolean;
  /** Interval at which containers are checked without an event, as a Go duration (`30s`). */
  readonly polling: string;
  /** Time for which events are collected before the containers are read, as a Go duration such as `100ms`. */
  readonly throttle: string;
}

/** The author of changes, in the history. */
const author = "labels of containers";
/**
 * Shortest allowed time in milliseconds between two readings without an event; shorter times would keep the engine
 * busy.
 */
const leastPollingMs = 100;

/** Parses a duration of an option. @throws StartError for an invalid duration, and for one below `least` */
function milliseconds(option: string, text: string, least: number): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms >= least && ms <= 2 ** 31 - 1) {
    return ms;
  }
  throw new StartError(
    `docker-proxy: ${option} ${JSON.stringify(text)} is no duration of ${least}ms or more`,
  );
}

/** Clients of all engines. Docker's variables apply only without `--docker-sockets`. @throws StartError */
function engineClients(run: DockerProxyRun): EngineClient[] {
  const { DOCKER_HOST, DOCKER_CERT_PATH, DOCKER_API_VERSION, DOCKER_TLS_VERIFY } = process.env;
  const verifies = DOCKER_TLS_VERIFY !== undefined && DOCKER_TLS_VERIFY !== "";
  const sockets = run.sockets.length > 0 ? run.sockets : [DOCKER_HOST || "unix:///var/run/docker.sock"];
  return sockets.map((socket, index) => {
    const isOfEnvironment = run.sockets.length === 0;
    const certificates = run.certificates[index] ?? (isOfEnvironment ? DOCKER_CERT_PATH : undefined) ?? "";
    const version = run.versions[index] ?? (isOfEnvironment ? DOCKER_API_VERSION : undefined) ?? "";
    return new EngineClient(readEngineAddress(socket, certificates, verifies), version);
  });
}

/** Saves the serverfile that was built from labels, for people to read. */
async function keepText(server: Server, text: string, log: Logger): Promise<void> {
  const path = join(dirname(server.autosave.path), "Serverfile.autosave");
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o640 });
  } catch (error) {
    log.warn(`cannot write ${path}, the serverfile that labels are: ${messageOf(error)}`);
  }
}

/**
 * `server docker-proxy`: runs until it is stopped.
 * | mode | admin endpoint | labels |
 * |---|---|---|
 * | standalone | as usual | followed; sites are served here |
 * | controller | as usual | followed; the controller sends the sites to the admin endpoints of servers in containers |
 * | server | on the network of the controller | not read |
 * @returns the exit code.
 * @throws StartError
 */
export function runDockerProxy(run: DockerProxyRun): Promise<number> {
  const controllerNetwork = readControllerNetwork(run.controllerNetwork);
  if (run.mode === "server" && controllerNetwork === undefined) {
    throw new StartError(
      "docker-proxy: --mode server needs --controller-network: a controller is let in from there",
    );
  }
  const listen =
    run.mode === "server" && controllerNetwork !== undefined
      ? { admin: { listen: `tcp/${ownAddressIn(controllerNetwork)}:2019` } }
      : null;
  const engines = run.mode === "server" ? [] : engineClients(run);
  const pollingMs = milliseconds("--polling-interval", run.polling, leastPollingMs);
  const throttleMs = milliseconds("--event-throttle-interval", run.throttle, 0);
  const adapters = new AdapterRegistry(standardAdapters);
  return runServer({
    ...run,
    load: (server) =>
      server.engine.load(Buffer.from(JSON.stringify(listen)), { author: "server docker-proxy" }),
    async running(server, log) {
      if (run.mode === "server") {
        return undefined;
      }
      return await followLabels({
        ...run,
        ...{ engines, pollingMs, throttleMs, controllerNetwork, log, ownContainer: ownContainerId() },
        async adapt(text) {
          const { result } = await adapters.adapt("serverfile", Buffer.from(text), { filename: run.file });
          return Buffer.from(encodeJson(result));
        },
        check: run.mode === "controller" ? undefined : (json) => server.engine.validate(parseJson(json)),
        load:
          run.mode === "controller"
            ? undefined
            : async (json, text) => {
                await keepText(server, text, log);
                await server.engine.load(json, { author });
              },
        async send(address, json) {
          const headers = { "Content-Type": "application/json" };
          await askAdmin(`${address}:2019`, { method: "POST", path: "/load", headers, body: json });
        },
      });
    },
  });
}
