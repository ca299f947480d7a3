import { isIP } from "node:net";
import { findAccess } from "kubernetes-controller/cluster/cluster-access";
import { ClusterFollower } from "kubernetes-controller/follow-cluster";
import type { AskAdmin } from "kubernetes-controller/target/admin-target";
import { createLogger, exitCodes, StopRequest } from "lifecycle";
import { StartError } from "lifecycle/errors";
import { parseGoDuration } from "lifecycle/go-duration";
import { formatListenAddress } from "server-core/listen/listen-address";
import { sendToAdmin } from "./ask-admin.ts";
import { readConfig } from "./read-config.ts";
import { runServer, type ServerRun } from "./run-server.ts";

/** The arguments of `server kubernetes`. */
export interface KubernetesRun extends Pick<ServerRun, "workers" | "logLevel" | "logEncoding"> {
  /** Path of a kubeconfig; "": the pod's service account, else the usual file. */
  readonly kubeconfig: string;
  /** Context in that file; "": the current one. */
  readonly context: string;
  readonly controllerName: string;
  /** Namespaces that are followed; empty: all. */
  readonly namespaces: readonly string[];
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Addresses from which each Gateway gets one; empty: all Gateways share the server's addresses. */
  readonly gatewayAddresses: readonly string[];
  /** Addresses of the server, for statuses. */
  readonly publishAddresses: readonly string[];
  /** `namespace/name` of the Service whose addresses are the server's; "": none. */
  readonly publishService: string;
  /** Admin endpoint of the server that is configured; "": this process is that server. */
  readonly address: string;
  /** Configuration to which the cluster's sites are added; "": none. */
  readonly config: string;
  readonly adapter: string;
  /** Time for which changes are collected, as a Go duration such as `200ms`. */
  readonly throttle: string;
}

/** Milliseconds between two checks of the server while nothing changes in the cluster. */
const resyncMs = 30_000;

/** @throws StartError for an invalid duration */
function throttleOf(text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms < 0 || ms > 60_000) {
    throw new StartError(`kubernetes: --throttle ${JSON.stringify(text)} is no duration of 0s to 1m`);
  }
  return ms;
}

/** @throws StartError for a text that is no IP address */
function addressesOf(texts: readonly string[]): readonly string[] {
  const faulty = texts.find((text) => isIP(text) === 0);
  if (faulty !== undefined) {
    throw new StartError(`kubernetes: --gateway-addresses: ${JSON.stringify(faulty)} is no IP address`);
  }
  return texts;
}

/** Asks the admin endpoint at the address that `where` returns. */
function askAt(where: () => string): AskAdmin {
  return async (method, path, body, ifMatch) => {
    const headers = {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }),
    };
    const question = { method, path, headers, ...(body === undefined ? {} : { body: Buffer.from(body) }) };
    const answer = await sendToAdmin(where(), question);
    const { etag = "" } = answer.headers;
    return { status: answer.status, etag: String(etag), body: answer.body.toString() };
  };
}

/** Configures another server until this process is stopped. @returns the exit code */
async function followOnly(run: KubernetesRun, follow: Omit<FollowBasics, "log" | "ask">): Promise<number> {
  const log = createLogger({ name: "kubernetes", level: run.logLevel, encoding: run.logEncoding });
  const stop = new StopRequest();
  const follower = new ClusterFollower({ ...follow, log, ask: askAt(() => run.address) });
  follower.start();
  log.info(`following ${follow.access.server}, configuring ${run.address}`);
  log.info(`stopping: ${await stop.requested}`);
  await follower.stop();
  return exitCodes.success;
}

type FollowBasics = ConstructorParameters<typeof ClusterFollower>[0];

/** `server kubernetes`: runs until it is stopped. @returns the exit code. @throws StartError */
export async function runKubernetes(run: KubernetesRun): Promise<number> {
  const follow = {
    access: await findAccess(run.kubeconfig, run.context, process.env),
    controllerName: run.controllerName,
    namespaces: run.namespaces,
    gatewayAddresses: addressesOf(run.gatewayAddresses),
    publishAddresses: run.publishAddresses,
    publishService: run.publishService,
    ingressPorts: { http: run.httpPort, https: run.httpsPort },
    throttleMs: throttleOf(run.throttle),
    resyncMs,
  };
  if (run.address !== "") {
    return followOnly(run, follow);
  }
  return runServer({
    ...run,
    async load(server) {
      const json = run.config === "" ? Buffer.from("null") : (await readConfig(run.config, run.adapter)).json;
      await server.engine.load(json, { author: "server kubernetes" });
    },
    async running(server, log) {
      const where = () => {
        if (server.adminAddress === undefined) {
          throw new StartError("the admin endpoint is disabled, and the controller needs it");
        }
        return formatListenAddress(server.adminAddress);
      };
      const follower = new ClusterFollower({ ...follow, log, ask: askAt(where) });
      follower.start();
      log.info(`following ${follow.access.server}`);
      return () => follower.stop();
    },
  });
}
