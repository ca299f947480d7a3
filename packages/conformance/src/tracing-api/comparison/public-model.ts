import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freeAddresses } from "lifecycle/testing";
import { httpRequest } from "./http-request.ts";
import type { TracingBackend } from "./tracing-backend.ts";

const program = "jaeger-all-in-one";

/** Folder in which `peers/build.sh` puts the programs of the public model. */
export const builtPeersFolder = fileURLToPath(new URL("../../../peers/bin/", import.meta.url));

/**
 * The folder with the public model's programs: the given folder, otherwise `PEERS`, otherwise the folder where peers
 * are built.
 * @returns undefined when the folder has no such program
 */
export function findPublicModel(folder = process.env.PEERS): string | undefined {
  const found = folder ?? builtPeersFolder;
  return existsSync(join(found, program)) ? found : undefined;
}

async function healthy(child: ChildProcess, admin: string, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) {
      break;
    }
    const status = await httpRequest(admin, "/").then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${program} is not healthy:\n${log().slice(-2000)}`);
}

/**
 * Starts the public model's all-in-one program (Jaeger 1.62) on free ports, with its store in memory.
 * @param strategiesFile path of a file of sampling strategies
 * @throws Error when it does not become healthy
 */
export async function startPublicModel(folder: string, strategiesFile: string): Promise<TracingBackend> {
  const free = await freeAddresses(12);
  const at = (index: number) => free[index] ?? "";
  const addresses = {
    otlpGrpc: at(0),
    otlpHttp: at(1),
    collectorGrpc: at(2),
    collectorHttp: at(3),
    zipkin: at(4),
    agentCompact: at(5),
    agentBinary: at(6),
    agentZipkin: at(7),
    agentHttp: at(8),
    query: at(9),
    queryGrpc: at(10),
  };
  const options = {
    "collector.otlp.grpc.host-port": addresses.otlpGrpc,
    "collector.otlp.http.host-port": addresses.otlpHttp,
    "collector.grpc-server.host-port": addresses.collectorGrpc,
    "collector.http-server.host-port": addresses.collectorHttp,
    "collector.zipkin.host-port": addresses.zipkin,
    "processor.jaeger-compact.server-host-port": addresses.agentCompact,
    "processor.jaeger-binary.server-host-port": addresses.agentBinary,
    "processor.zipkin-compact.server-host-port": addresses.agentZipkin,
    "http-server.host-port": addresses.agentHttp,
    "query.http-server.host-port": addresses.query,
    "query.grpc-server.host-port": addresses.queryGrpc,
    "admin.http.host-port": at(11),
    "sampling.strategies-file": strategiesFile,
  };
  const child = spawn(
    join(folder, program),
    Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, SPAN_STORAGE_TYPE: "memory" } },
  );
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const close = async () => {
    // A normal exit would take most of a minute, and there is no data to save, so the process is killed.
    child.kill("SIGKILL");
    await closed;
  };
  try {
    await healthy(child, at(11), () => log);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    name: "the public model",
    addresses,
    grpcPath: (path) => path.replace(/^\/tracing\./, "/jaeger."),
    close,
  };
}
