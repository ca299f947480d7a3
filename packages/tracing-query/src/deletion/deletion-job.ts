import { createHash } from "node:crypto";
import type { DeletionReport, DeletionSelection } from "storage/clickhouse";

/**
 * - `waiting` another job runs
 * - `running` spans are counted, or parts of tables are rewritten without them
 * - `counted` the job was only to count
 * - `done` no span is left
 * - `incomplete` spans are left, or a server did not answer
 * - `cancelled` somebody cancelled it; parts that the store had begun to rewrite are still rewritten
 * - `failed` the store refused, or the audit file could not be written
 */
export const jobStates = [
  "waiting",
  "running",
  "counted",
  "done",
  "incomplete",
  "cancelled",
  "failed",
] as const;
export type JobState = (typeof jobStates)[number];

/** A deletion that somebody asked for. Its members change while it runs. */
export interface DeletionJob {
  readonly id: string;
  readonly tenant: string;
  /** Name of the person or program that asked. */
  readonly user: string;
  /** False: the spans are only counted. */
  readonly deletes: boolean;
  readonly selection: DeletionSelection;
  readonly createdMs: number;
  state: JobState;
  startedMs?: number;
  endedMs?: number;
  /** Table that is being rewritten, and the number of its parts that are not done. */
  progress?: { readonly table: string; readonly partsToDo: number };
  report?: DeletionReport;
  /** Why the job failed. */
  error?: string;
}

/** The conditions of a job without values of attributes, because the audit outlives the data. */
export interface JobConditions {
  readonly traceIds?: readonly string[];
  readonly attribute?: string;
  readonly valueSha256?: string;
  readonly from?: string;
  readonly to?: string;
  /** True when the whole tenant is deleted. */
  readonly wholeTenant?: true;
}

export function conditionsOf({
  traceIds,
  attribute,
  fromUnixNano,
  toUnixNano,
}: DeletionSelection): JobConditions {
  const others = [traceIds, attribute, fromUnixNano, toUnixNano];
  return {
    ...(traceIds && { traceIds }),
    ...(attribute && {
      attribute: attribute.key,
      valueSha256: createHash("sha256").update(attribute.value).digest("hex"),
    }),
    ...(fromUnixNano !== undefined && { from: timeText(fromUnixNano) }),
    ...(toUnixNano !== undefined && { to: timeText(toUnixNano) }),
    ...(others.every((condition) => condition === undefined) && { wholeTenant: true }),
  };
}

function timeText(unixNano: bigint): string {
  return new Date(Number(unixNano / 1_000_000n)).toISOString();
}

/** Rows of each table over all servers, before and after. */
export function totalsOf({ tables }: DeletionReport): Record<string, { rows: number; remaining: number }> {
  const totals: Record<string, { rows: number; remaining: number }> = {};
  for (const { table, rows, remaining } of tables) {
    const sum = totals[table] ?? { rows: 0, remaining: 0 };
    totals[table] = { rows: sum.rows + rows, remaining: sum.remaining + remaining };
  }
  return totals;
}
