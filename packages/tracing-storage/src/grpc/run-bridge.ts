import { type ProcessContext, type RunningProcess, StartError } from "lifecycle";
import type { GrpcOptions } from "./grpc-options.ts";
import { openConfiguredRemoteStorage } from "./open-remote-storage.ts";

/**
 * The process where spans rest in a cluster: the remote storage API alone, no engine, no data folder.
 * @throws StartError
 */
export async function runBridge({
  options,
  log,
  metrics,
}: Pick<ProcessContext<GrpcOptions>, "options" | "log" | "metrics">): Promise<RunningProcess> {
  const remote = await openConfiguredRemoteStorage(options, undefined, { log, metrics });
  if (remote === undefined) {
    throw new StartError(
      "with --clickhouse.url this process only serves the remote storage API, and --grpc.host-port is empty: there is nothing to do",
    );
  }
  return { stop: (signal) => remote.stop(signal) };
}
