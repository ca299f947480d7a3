import type { Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { StartError } from "lifecycle/errors";
import type { TraceStore } from "storage/api";
import { ObjectiveBoard } from "./objective-board.ts";
import { registerObjectiveMetrics } from "./objective-metrics.ts";
import { storeCounts } from "./read-store-counts.ts";

/**
 * Reads the file of objectives for the first time. Counting begins with `start`.
 * @param path path of the file; "" for none, then no metrics of objectives are registered
 * @throws StartError for a file that cannot be read, or has a mistake
 */
export async function openObjectives(
  path: string,
  store: TraceStore,
  { log, metrics }: { readonly log: Logger; readonly metrics: Registry },
): Promise<ObjectiveBoard> {
  const board = new ObjectiveBoard({ path, readCounts: storeCounts(store), log });
  try {
    await board.open();
  } catch (error) {
    throw new StartError(`option --query.objectives-file: ${(error as Error).message}`, { cause: error });
  }
  if (board.isOn) {
    registerObjectiveMetrics(board, metrics);
  }
  return board;
}
