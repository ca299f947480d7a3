import { appendFile } from "node:fs/promises";
import { Counter, type Registry } from "@prometheus-io/client";
import { clickHouseServers, type Logger } from "lifecycle";
import { StartError } from "lifecycle/errors";
import { deleteSpans } from "storage/clickhouse";
import { jobStates } from "../deletion/deletion-job.ts";
import { DeletionJobs } from "../deletion/deletion-jobs.ts";
import type { QueryOptions } from "../query-options.ts";

/**
 * Opens the deletions of the process.
 * @returns undefined without --query.deletion.audit-file
 * @throws StartError for a file that cannot be written, without --query.access-file, and for a store without deletion
 */
export async function openDeletion(
  options: QueryOptions,
  { log, metrics }: { readonly log: Logger; readonly metrics: Registry },
): Promise<DeletionJobs | undefined> {
  const auditFile = options["query.deletion.audit-file"];
  if (auditFile === "") {
    return undefined;
  }
  const option = "option --query.deletion.audit-file";
  if (options["query.access-file"] === "") {
    throw new StartError(`${option}: needs --query.access-file, which says who may delete`);
  }
  if (options["span-storage.type"] !== "clickhouse") {
    throw new StartError(`${option}: only the store clickhouse can delete spans`);
  }
  await appendFile(auditFile, "", { mode: 0o600 }).catch((cause: Error) => {
    throw new StartError(`${option}: ${cause.message}`, { cause });
  });
  const ended = new Counter({
    name: "tracing_query_deletions_total",
    help: "Deletions that ended, by how they ended.",
    labelNames: ["state"],
    registers: [metrics],
  });
  for (const state of jobStates.slice(2)) {
    ended.inc({ state }, 0);
  }
  const servers = clickHouseServers(options, log);
  return new DeletionJobs({
    ...{ auditFile, log, ended },
    run: (selection, run) => deleteSpans(servers, selection, run),
  });
}
