// Deletions over a reader, for tests of the API: they count whole traces, and delete nothing.
import { randomUUID } from "node:crypto";
import { createLogger } from "lifecycle";
import type { SpanReader } from "storage/api";
import { DeletionJobs, type DeletionSettings } from "../deletion/deletion-jobs.ts";
import { sampleTraceId } from "../service/sample-store.ts";

/** Id of the first job of `sampleDeletion`, as the examples of the API have it. */
const firstId = "00000000-0000-4000-8000-000000000000";

/** Jobs, of which the first is known. @param auditFile path of a file that may be written */
export async function sampleDeletion(
  reader: Pick<SpanReader, "getTraces">,
  auditFile: string,
  changes: Partial<DeletionSettings> = {},
): Promise<DeletionJobs> {
  const ids = [firstId];
  const jobs = new DeletionJobs({
    auditFile,
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    newId: () => ids.pop() ?? randomUUID(),
    async run({ traceIds = [] }) {
      const traces = await reader.getTraces(traceIds.map((id) => id.padStart(32, "0")));
      const rows = traces.reduce((sum, { spans }) => sum + spans.length, 0);
      const table = { table: "spans", url: "memory", rows, remaining: rows, proof: "" };
      return { tables: [table], traces: traces.length, away: [], leavesMinutes: false };
    },
    ...changes,
  });
  await jobs.add({
    tenant: "",
    user: "ann",
    deletes: false,
    selection: { tenant: "", traceIds: [sampleTraceId] },
  });
  return jobs;
}
