import { type DeletionSelection, deletionCondition } from "storage/clickhouse";
import { z } from "zod";
import { conditionsOf, type DeletionJob, jobStates, totalsOf } from "../../deletion/deletion-job.ts";
import type { DeletionJobs } from "../../deletion/deletion-jobs.ts";
import { QueryError } from "../../query-error.ts";
import { jsonBody } from "../analysis/json-body.ts";
import { paramsReader, readJson } from "../analysis/read-request.ts";
import type { EndpointDefinition, EndpointRequest } from "../endpoint.ts";
import type { OperationDescription, OperationGroup } from "../openapi/operation.ts";
import { problemStyle } from "../problem.ts";
import { readBody } from "../read-body.ts";

const base = "/api/deletion/v1/jobs";
const readNothing = paramsReader(z.strictObject({}));

/** A text of a condition. A blank one would come from a script with an unset variable. */
const condition = z
  .string()
  .max(1_024)
  .refine((text) => text.trim() !== "", { error: "is blank: leave the condition out if you do not mean it" });

const time = z.int().min(0).max(9_000_000_000_000_000);

const orderSchema = z.strictObject({
  traceIds: z
    .array(condition)
    .min(1)
    .max(1_500)
    .optional()
    .describe("Spans of these traces: 16 or 32 hex digits each."),
  attribute: z
    .strictObject({ key: condition, value: condition })
    .optional()
    .describe("Spans with this attribute, on themselves, their resource or an event; the value as text."),
  start: time
    .optional()
    .describe("Spans that start at this time or later: microseconds since the Unix epoch."),
  end: time.optional().describe("Spans that start before this time."),
  wholeTenant: z
    .literal(true)
    .optional()
    .describe("All that is stored of the tenant of this request; alone."),
  delete: z.boolean().default(false).describe("true deletes; without it the spans are only counted."),
});

const micros = z.int().describe("Microseconds since the Unix epoch.");

const jobSchema = z
  .strictObject({
    id: z.string(),
    state: z.enum(jobStates),
    user: z.string(),
    deletes: z.boolean(),
    what: z
      .strictObject({
        traceIds: z.array(z.string()).optional(),
        attribute: z.string().optional(),
        valueSha256: z.string().optional(),
        from: z.string().optional(),
        to: z.string().optional(),
        wholeTenant: z.literal(true).optional(),
      })
      .describe("The conditions; the value of an attribute as its SHA-256."),
    created: micros,
    started: micros.optional(),
    ended: micros.optional(),
    progress: z.strictObject({ table: z.string(), partsToDo: z.int() }).optional(),
    traces: z.int().optional().describe("Traces that have such spans."),
    tables: z.record(z.string(), z.strictObject({ rows: z.int(), remaining: z.int() })).optional(),
    away: z
      .array(z.string())
      .optional()
      .describe("Servers that did not answer; they delete when they are back."),
    proof: z
      .array(z.string())
      .optional()
      .describe("Statements that count such spans; after a deletion each counts 0."),
    leavesMinutes: z
      .boolean()
      .optional()
      .describe("True: over 100,000 traces, whose ids stay in `trace_minutes`."),
    error: z.string().optional(),
  })
  .meta({ id: "DeletionJob" });

const jobsSchema = z
  .strictObject({ jobs: z.array(jobSchema).describe("Newest first.") })
  .meta({ id: "DeletionJobs" });
const json = "application/json";
const sampleId = "00000000-0000-4000-8000-000000000000";
const idPart = z.strictObject({ id: z.string() });

const listOperation: OperationDescription = {
  ...{ method: "GET", path: base, id: "getDeletions", summary: "Deletions of this process" },
  answer: { contentType: json, schema: jobsSchema },
  ...{ failures: "problem", failureStatuses: [400, 501], example: {} },
};

const addOperation: OperationDescription = {
  ...{ method: "POST", path: base, id: "addDeletion", summary: "Count or delete spans" },
  description:
    "Spans that meet all conditions, of the tenant of the request. A time alone needs `start` and `end`.",
  body: orderSchema,
  answer: { contentType: json, schema: jobSchema },
  ...{ failures: "problem", failureStatuses: [400, 413, 501] },
  example: { body: { traceIds: ["71a81d73ce7902db83be4d12250bd874"] } },
  failingExample: { status: 400, request: { body: { traceIds: [""], delete: true } } },
};

const getOperation: OperationDescription = {
  ...{ method: "GET", path: `${base}/:id`, id: "getDeletion", summary: "A deletion" },
  pathParts: idPart,
  answer: { contentType: json, schema: jobSchema },
  ...{ failures: "problem", failureStatuses: [400, 404, 501] },
  example: { path: { id: sampleId } },
};

const cancelOperation: OperationDescription = {
  ...{ method: "POST", path: `${base}/:id/cancel`, id: "cancelDeletion", summary: "Cancel a deletion" },
  description:
    "An ended deletion stays as it is. Parts that the store has begun to rewrite are still rewritten.",
  pathParts: idPart,
  body: z.strictObject({}),
  answer: { contentType: json, schema: jobSchema },
  ...{ failures: "problem", failureStatuses: [400, 404, 413, 501] },
  example: { path: { id: sampleId }, body: {} },
};

export const deletionGroup: OperationGroup = {
  name: "Deletion",
  description: "Deletion of spans, for whoever has the right `may-delete` of --query.access-file.",
  operations: [listOperation, addOperation, getOperation, cancelOperation],
};

/** @param jobs undefined without --query.deletion.audit-file: then every request gets 501 */
export function deletionEndpoints(
  jobs: DeletionJobs | undefined,
): [path: string, definition: EndpointDefinition][] {
  const open = (): DeletionJobs => {
    if (jobs === undefined) {
      throw new QueryError(
        "QUERY_NOT_SUPPORTED",
        "spans are not deleted here: --query.deletion.audit-file is not set",
      );
    }
    return jobs;
  };
  const shared = { style: problemStyle, isHeavy: false } as const;
  const listOrAdd = async (request: EndpointRequest) => {
    readNothing(request.params);
    const { read, method } = request;
    const tenant = read.tenant ?? "";
    if (method === "GET") {
      return [JSON.stringify({ jobs: open().list(tenant).map(jobJson) })];
    }
    const jobsOfProcess = open();
    const { delete: deletes, ...order } = readJson(orderSchema, await jsonBody(request));
    const selection = selectionOf(order, tenant);
    const job = await jobsOfProcess.add({ tenant, user: read.access?.user ?? "", deletes, selection });
    return [JSON.stringify(jobJson(job))];
  };
  return [
    [base, { ...shared, method: ["GET", "POST"], readBody, answer: listOrAdd }],
    [
      getOperation.path,
      {
        ...{ ...shared, method: "GET" },
        answer: ({ params, pathPart, read }) => {
          readNothing(params);
          return [JSON.stringify(jobJson(open().get(pathPart("id"), read.tenant ?? "")))];
        },
      },
    ],
    [
      cancelOperation.path,
      {
        ...{ ...shared, method: "POST", readBody },
        async answer(request) {
          readNothing(request.params);
          readJson(z.strictObject({}), await jsonBody(request));
          const { pathPart, read } = request;
          const job = await open().cancel(pathPart("id"), read.tenant ?? "", read.access?.user ?? "");
          return [JSON.stringify(jobJson(job))];
        },
      },
    ],
  ];
}

/**
 * The selection of an order. The tenant is always that of the request, so that nobody deletes spans that he may not read.
 * @throws QueryError QUERY_BAD_PARAMETER for contradicting conditions, or without a condition that limits the order;
 * StorageError STORAGE_BAD_QUERY
 */
function selectionOf(
  { traceIds, attribute, start, end, wholeTenant }: Omit<z.output<typeof orderSchema>, "delete">,
  tenant: string,
): DeletionSelection {
  const isNarrow = traceIds !== undefined || attribute !== undefined;
  const hasTime = start !== undefined || end !== undefined;
  const refuse = (message: string, parameter: string) =>
    new QueryError("QUERY_BAD_PARAMETER", message, { parameter });
  if (wholeTenant === true) {
    if (isNarrow || hasTime) {
      throw refuse(
        "wholeTenant stands alone: with other conditions it would delete less than it says",
        "wholeTenant",
      );
    }
    if (tenant === "") {
      throw refuse("wholeTenant needs a tenant: without tenancy it would delete everything", "wholeTenant");
    }
  } else if (!isNarrow && !hasTime) {
    throw refuse("name what to delete with traceIds, attribute, start and end, or wholeTenant", "traceIds");
  } else if (!isNarrow && (start === undefined || end === undefined)) {
    throw refuse("a time alone needs both start and end", start === undefined ? "start" : "end");
  }
  const selection: DeletionSelection = {
    ...{ traceIds, attribute, tenant },
    fromUnixNano: start === undefined ? undefined : BigInt(start) * 1_000n,
    toUnixNano: end === undefined ? undefined : BigInt(end) * 1_000n,
  };
  // The same check as the store's, before the order waits.
  deletionCondition(selection);
  return selection;
}

function jobJson(job: DeletionJob): z.output<typeof jobSchema> {
  const { id, state, user, deletes, report } = job;
  const microsOf = (ms: number) => ms * 1_000;
  return {
    ...{ id, state, user, deletes },
    what: conditionsOf(job.selection) as z.output<typeof jobSchema>["what"],
    created: microsOf(job.createdMs),
    ...(job.startedMs !== undefined && { started: microsOf(job.startedMs) }),
    ...(job.endedMs !== undefined && { ended: microsOf(job.endedMs) }),
    ...(job.progress && { progress: job.progress }),
    ...(report && {
      ...{ traces: report.traces, tables: totalsOf(report), away: [...report.away] },
      proof: [...new Set(report.tables.slice(0, 2).map(({ proof }) => proof))],
      leavesMinutes: report.leavesMinutes,
    }),
    ...(job.error !== undefined && { error: job.error }),
  };
}
