import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../all-processes/tested-process.ts";
import type { TempoBackend } from "./tempo-process.ts";

/**
 * Starts our storage, collector and query service, which answers Tempo's API under `/tempo`.
 * @param onePort true: gRPC and HTTP use one port, as Grafana needs for streaming
 */
export async function startOurTempo({ onePort = false } = {}): Promise<TempoBackend> {
  const folder = mkdtempSync(join(tmpdir(), "our-tempo-"));
  const free = await freeAddresses(7);
  const at = (index: number) => free[index] ?? "";
  const grpc = onePort ? at(5) : at(6);
  const store = ["--clickhouse.url", `http://${at(0)}`];
  const make = (name: string, admin: string, args: readonly string[]) =>
    new TestedProcess(
      name,
      `${name}/bin/${name}.ts`,
      [...args, "--admin.http.host-port", admin],
      `http://${admin}/`,
    );
  const processes = [
    make("tracing-storage", at(1), [
      ...["--storage.http.host-port", at(0), "--storage.data-dir", join(folder, "storage")],
      ...["--grpc.host-port", "127.0.0.1:0"],
    ]),
    make("tracing-collector", at(2), [
      ...["--collector.otlp.http.host-port", at(3), "--collector.otlp.grpc.host-port", "127.0.0.1:0"],
      ...["--collector.grpc-server.host-port", "127.0.0.1:0"],
      ...["--collector.http-server.host-port", "127.0.0.1:0"],
      ...["--collector.journal.dir", join(folder, "collector"), ...store],
    ]),
    make("tracing-query", at(4), [
      ...["--query.http-server.host-port", at(5), "--query.grpc-server.host-port", grpc],
      ...store,
    ]),
  ];
  const close = async () => {
    for (const process of processes.toReversed()) {
      await process.end("SIGTERM");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(processes.map((process) => process.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return { name: "ours", otlpHttp: `http://${at(3)}`, tempo: `http://${at(5)}/tempo`, grpc, close };
}
