import { createHash } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { type ProcessCommand, parseOptions, StartError, secretOf } from "lifecycle";
import { StorageError } from "storage/api";
import { type DeletionReport, type DeletionSelection, deleteSpans } from "storage/clickhouse";
import { clusterOf, type DeleteOptions, deleteOptions } from "./delete-options.ts";
import { Progress } from "./progress.ts";

/**
 * `delete`: removes the spans of traces, of an attribute, of a tenant or of a time range from all tables. Without
 * `--yes`, the command only counts the spans.
 */
export const deleteCommand: ProcessCommand = {
  name: "delete",
  meaning:
    "Delete spans: delete --url URL,… [--cluster NAME] [--trace-id ID,…] [--attribute key=value] [--tenant NAME] [--from --to] [--yes].",
  options: deleteOptions,
  async run(args) {
    const { options } = parseOptions(deleteOptions, { arguments: args, environment: {} });
    const selection = selectionOf(options);
    if (options.url.length === 0) {
      throw new StartError("delete: name the servers with --url");
    }
    const servers = {
      ...{ urls: options.url, user: options.user, password: secretOf(options, "password") },
      database: options.database,
      cluster: clusterOf(options),
    };
    const audit = auditOf(options, selection);
    // If the audit file cannot be written, the command must end before any span is deleted.
    await audit("begun");
    const progress = new Progress();
    let report: DeletionReport;
    try {
      report = await deleteSpans(servers, selection, {
        isDryRun: !options.yes,
        onProgress: (table, parts) => progress.show(() => `${table}: ${parts} parts to rewrite`),
      });
    } catch (error) {
      await audit("failed", { error: (error as Error).message });
      throw error instanceof StorageError
        ? new StartError(`delete: ${error.message}`, { cause: error })
        : error;
    } finally {
      progress.end();
    }
    const isDone = report.away.length === 0 && report.tables.every(({ remaining }) => remaining === 0);
    await audit(options.yes ? (isDone ? "done" : "incomplete") : "counted", countsOf(report));
    process.stdout.write(`${linesOf(report, options.yes).join("\n")}\n`);
    return isDone || !options.yes ? 0 : 1;
  },
};

/** @throws StartError without a condition */
function selectionOf(options: DeleteOptions): DeletionSelection {
  const { "trace-id": traceIds, attribute, tenant, from, to } = options;
  const others = [traceIds, attribute, from, to];
  const isAlone = others.every((condition) => condition === undefined);
  if (isAlone && tenant === undefined) {
    throw new StartError("delete: name what with --trace-id, --attribute, --tenant, --from or --to");
  }
  // In a store without tenancy, these would be all spans. An unset variable of a script also gives an empty text.
  if (isAlone && tenant === "") {
    throw new StartError(
      "delete: an empty --tenant means spans without a tenant, so it needs another condition",
    );
  }
  return {
    ...{ traceIds, attribute, tenant, fromUnixNano: from, toUnixNano: to },
  };
}

/**
 * Appends one line to the audit file. The first state is `begun`; the next is `counted`, `done`, `incomplete` or
 * `failed`.
 */
type Audit = (state: string, facts?: object) => Promise<void>;

/**
 * Writes a line of JSON for each state of the deletion. The attribute's value is written as a hash, because the audit
 * file stays after the deletion.
 */
function auditOf(options: DeleteOptions, selection: DeletionSelection): Audit {
  const { attribute, traceIds, tenant, fromUnixNano, toUnixNano } = selection;
  const what = {
    ...(traceIds !== undefined && { traceIds }),
    ...(attribute !== undefined && {
      attribute: attribute.key,
      valueSha256: createHash("sha256").update(attribute.value).digest("hex"),
    }),
    ...(tenant !== undefined && { tenant }),
    ...(fromUnixNano !== undefined && { from: timeText(fromUnixNano) }),
    ...(toUnixNano !== undefined && { to: timeText(toUnixNano) }),
  };
  const who = options["requested-by"] || userInfo().username;
  return async (state, facts = {}) => {
    const time = new Date().toISOString();
    const line = `${JSON.stringify({ time, who, state, database: options.database, what, ...facts })}\n`;
    const path = options["audit-file"];
    if (path === "") {
      process.stderr.write(line);
      return;
    }
    await appendFile(path, line, { mode: 0o600 }).catch((cause: Error) => {
      throw new StartError(`option --audit-file: ${cause.message}`, { cause });
    });
  };
}

/** A time as text, to milliseconds: `2026-11-21T08:30:00.000Z`. */
function timeText(unixNano: bigint): string {
  return new Date(Number(unixNano / 1_000_000n)).toISOString();
}

/** Totals of all servers for the audit: traces, and rows of each table before and after the deletion. */
function countsOf({ tables, traces, away }: DeletionReport): object {
  const rows: Record<string, number> = {};
  const remaining: Record<string, number> = {};
  for (const table of tables) {
    rows[table.table] = (rows[table.table] ?? 0) + table.rows;
    remaining[table.table] = (remaining[table.table] ?? 0) + table.remaining;
  }
  return { traces, rows, remaining, ...(away.length > 0 && { away }) };
}

/** Lines for the terminal: rows by table and server, servers that are down, and statements that prove the deletion. */
function linesOf({ tables, traces, away, leavesMinutes }: DeletionReport, isDeleted: boolean): string[] {
  const found = tables.filter(({ rows }) => rows > 0);
  return [
    ...found.map(({ table, url, rows, remaining }) =>
      isDeleted
        ? `${table}, ${url}: ${rows - remaining} rows deleted, ${remaining} left`
        : `${table}, ${url}: ${rows} rows`,
    ),
    ...away.map((url) => `${url}: away; it deletes when it is back, run this again then`),
    ...(leavesMinutes ? ["trace_minutes: over 100000 traces, their ids and minutes stay"] : []),
    isDeleted ? `spans of ${traces} traces` : `spans of ${traces} traces; nothing is deleted without --yes`,
    // The proof is for operators, who can run this statement on each server.
    ...(isDeleted ? tables.slice(0, 2).map(({ proof }) => `proof, counts 0: ${proof}`) : []),
  ];
}
