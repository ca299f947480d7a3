import type { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { metricOf } from "./fault-processes.ts";

const storedWithinMs = 60_000;

/** Resolves when no span waits for storage. @throws Error when none of the waiting spans is stored for a minute */
export async function drained(collector: TestedProcess): Promise<void> {
  for (let least = Number.POSITIVE_INFINITY; least > 0; ) {
    least = await eventually(async () => {
      const waiting = await metricOf(collector, "tracing_collector_queue_length");
      if (waiting >= least) {
        throw new Error(`${waiting} spans wait for storage, and none is stored`);
      }
      return waiting;
    }, storedWithinMs);
  }
}
