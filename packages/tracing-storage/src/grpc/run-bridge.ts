import { type ProcessContext, type RunningProcess, StartError } from "lifecycle";
import type { GrpcOptions } from "./grpc-options.ts";
import { openConfiguredRemoteStorage } from "./open-remote-storage.ts";

/**
 * Runs a process in front of a cluster, which has only the remote storage API, without engine and data folder. It is
 * healthy if the cluster answers.
 * @throws StartError
 */
export async function runBridge({
  options,
  log,
  metrics,
  health,
}: Pick<ProcessContext<GrpcOptions>, "options" | "log" | "metrics" | "health">): Promise<RunningProcess> {
  const remote = await openConfiguredRemoteStorage(options, undefined, { log, metrics, health });
  if (remote === undefined) {
    throw new StartError(
      "with --clickhouse.url this process only serves the remote storage API, and --grpc.host-port is empty: there is nothing to do",
    );
  }
  log.info(
    "a bridge for the servers of --clickhouse.url: no engine, no data folder, no ClickHouse HTTP port",
  );
  return { stop: (signal) => remote.stop(signal) };
}
