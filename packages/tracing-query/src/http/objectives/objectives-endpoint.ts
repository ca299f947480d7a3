import { z } from "zod";
import { allowedShare } from "../../objectives/objective.ts";
import type { ObjectiveBoard } from "../../objectives/objective-board.ts";
import { type ObjectiveStatus, objectiveStates } from "../../objectives/objective-status.ts";
import { prometheusRules } from "../../objectives/prometheus-rules.ts";
import { QueryError } from "../../query-error.ts";
import { roundedCount } from "../adjusted-json.ts";
import { paramsReader } from "../analysis/read-request.ts";
import type { Endpoint, EndpointDefinition } from "../endpoint.ts";
import type { OperationDescription, OperationGroup } from "../openapi/operation.ts";
import { problemStyle } from "../problem.ts";
import { TypedAnswer } from "../send-pieces.ts";
import { objectiveJson, objectiveSchema } from "./objective-json.ts";

// Names and parts of names.
const text = z.string().max(1_024);
// Number of points of a budget's curve. For 30 days each of 180 points covers four hours.
const curvePieces = 180;

// Parameters of the list. This process filters, sorts and pages, because all figures are in memory.
const listParams = z.strictObject({
  contains: text
    .default("")
    .describe("Only objectives with this part in their name or service, in upper or lower case."),
  state: z.enum(objectiveStates).optional().describe("Only objectives in this state."),
  order: z
    .enum(["state", "name", "budget"])
    .default("state")
    .describe("Worst state first, then least budget; or names from a to z; or least budget first."),
  limit: z.int().min(1).max(200).default(50).describe("Most objectives in the answer."),
  offset: z.int().min(0).max(1_000_000).default(0).describe("Objectives before those of the answer."),
});

// The counts `total` and `states` cover all objectives of the tenant, because the UI's filters show them.
const listAnswer = z
  .strictObject({
    isOn: z.boolean().describe("False: no file of objectives was given with --query.objectives-file."),
    total: z.int().describe("Objectives of the tenant."),
    matched: z.int().describe("Of them, those that match, on all pages."),
    states: z.record(z.string(), z.int()).describe("Number of the tenant's objectives in each state."),
    fileError: z.string().optional().describe("Why the file as it is now is not in use."),
    targets: z
      .array(
        z.strictObject({
          host: z.string(),
          kind: z.enum(["alertmanager", "webhook", "slack"]),
          waiting: z.int(),
          error: z.string().optional(),
        }),
      )
      .describe("Where alerts go; only hosts, as addresses may hold secrets."),
    objectives: z.array(objectiveSchema),
  })
  .meta({ id: "ObjectiveList" });

// Identifies an objective by its name within the tenant.
const curveParams = z.strictObject({ name: text.describe("Name of the objective.") });

const curveAnswer = z
  .strictObject({
    objective: objectiveSchema,
    curve: z
      .array(z.tuple([z.int(), z.number(), z.number(), z.number().nullable()]))
      .describe(
        "`[start, total, bad, budgetLeft]` of pieces of the window, the oldest first: start in milliseconds since the Unix epoch, `budgetLeft` after the piece, of the budget of all spans that the window has now.",
      ),
  })
  .meta({ id: "ObjectiveCurve" });

// Failures common to all endpoints: an invalid parameter.
const failing = { failures: "problem", failureStatuses: [400] } as const;

/** The list, for the OpenAPI document. */
const listOperation: OperationDescription = {
  method: "GET",
  path: "/api/objectives",
  id: "getObjectives",
  summary: "Objectives of spans with error budgets and burn rates, in pages",
  query: listParams,
  answer: { contentType: "application/json", schema: listAnswer },
  ...failing,
  example: { query: { order: "name", limit: "5" } },
  failingExample: { status: 400, request: { query: { order: "size" } } },
};

/** The curve, for the OpenAPI document. */
const curveOperation: OperationDescription = {
  method: "GET",
  path: "/api/objectives/curve",
  id: "getObjectiveCurve",
  summary: "One objective, and its budget over time",
  query: curveParams,
  answer: { contentType: "application/json", schema: curveAnswer },
  failures: "problem",
  failureStatuses: [400, 404],
  example: { query: { name: "checkout" } },
  failingExample: { status: 404, request: { query: { name: "none" } } },
};

/** The rules file, for the OpenAPI document. */
const rulesOperation: OperationDescription = {
  method: "GET",
  path: "/api/objectives/rules",
  id: "getObjectiveRules",
  summary: "Objectives as a rules file of Prometheus, over the metrics of /api/metrics/prometheus",
  answer: { contentType: "application/yaml" },
  ...failing,
  example: {},
  failingExample: { status: 400, request: { query: { name: "all" } } },
};

export const objectivesGroup: OperationGroup = {
  name: "Objectives",
  description: "Objectives of --query.objectives-file: error budgets, burn rates and alerts.",
  operations: [listOperation, curveOperation, rulesOperation],
};

type Order = z.output<typeof listParams>["order"];

/**
 * Sorts objectives; equal ones are sorted by name. An objective without spans has no budget, and comes after those that
 * have one.
 */
// Ranks are computed once, because sorting 5,000 objectives needs tens of thousands of comparisons.
function sorted(statuses: readonly ObjectiveStatus[], order: Order): ObjectiveStatus[] {
  const ranked = statuses.map((status) => ({
    status,
    name: status.objective.name,
    rank: order === "state" ? objectiveStates.indexOf(status.state) : 0,
    left: order === "name" ? 0 : (status.budgetLeft ?? Number.MAX_VALUE),
  }));
  ranked.sort((one, other) => one.rank - other.rank || one.left - other.left || byText(one.name, other.name));
  return ranked.map(({ status }) => status);
}

/** Compares UTF-16 units, which gives the same order on every machine, unlike a locale. */
function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

const readList = paramsReader(listParams);
const readCurve = paramsReader(curveParams);
const readNothing = paramsReader(z.strictObject({}));

/** Objectives of the request's tenant; "" for a server without tenants. */
function ofTenant(board: ObjectiveBoard, tenant = ""): ObjectiveStatus[] {
  return board.statuses.filter(({ objective }) => objective.tenant === tenant);
}

/**
 * `GET /api/objectives`: objectives with budgets and burn rates, in pages. This is an API of our own.
 *
 * ```
 * GET /api/objectives?order=state&limit=5
 * {"isOn": true, "total": 1, "matched": 1, "states": {"counting": 1}, "targets": [],
 *  "objectives": [{"name": "checkout", "service": "shop", "target": 99.9, "state": "counting", "windowHours": 720,
 *                  "kinds": ["server"], "total": 0, "bad": 0, "budgetLeft": null, "burnRates": [], "alerts": [], …}]}
 * ```
 *
 * Without an objectives file the list is empty and `isOn` is false. Errors: 400 for a parameter. The store is not read.
 */
function listEndpoint(board: ObjectiveBoard): Endpoint {
  return ({ params, read }) => {
    const { contains, state, order, limit, offset } = readList(params);
    const all = ofTenant(board, read.tenant);
    const part = contains.toLowerCase();
    const matched = all.filter(
      (status) =>
        (state === undefined || status.state === state) &&
        `${status.objective.name}\n${status.objective.service}`.toLowerCase().includes(part),
    );
    const states: Record<string, number> = {};
    for (const status of all) {
      states[status.state] = (states[status.state] ?? 0) + 1;
    }
    const { fileError } = board;
    const answer: z.output<typeof listAnswer> = {
      isOn: board.isOn,
      total: all.length,
      matched: matched.length,
      states,
      ...(fileError === undefined ? {} : { fileError }),
      targets: board.targets.map(({ host, settings, waiting, error }) => ({
        ...{ host, kind: settings.kind, waiting },
        ...(error === undefined ? {} : { error }),
      })),
      objectives: sorted(matched, order)
        .slice(offset, offset + limit)
        .map(objectiveJson),
    };
    return [JSON.stringify(answer)];
  };
}

/**
 * `GET /api/objectives/curve?name=checkout`: one objective, and its budget over time. A point is `[start,
 * total, bad, budgetLeft]`. Errors: 400 without a name, 404 when the tenant has no such objective.
 */
function curveEndpoint(board: ObjectiveBoard): Endpoint {
  return ({ params, read }) => {
    const { name } = readCurve(params);
    const status = board.find(read.tenant ?? "", name);
    if (status === undefined) {
      throw new QueryError("QUERY_NOT_FOUND", `there is no objective ${JSON.stringify(name.slice(0, 128))}`);
    }
    const { total } = status.sum;
    const budget = total * allowedShare(status.objective.target);
    // Bad spans up to the end of a point. The budget covers the whole window, so the curve never rises.
    let spent = 0;
    const curve = status.counts.curve(curvePieces).map((piece): z.output<typeof curveAnswer>["curve"][0] => {
      spent += piece.bad;
      const left = total > 0 ? Number((1 - spent / budget).toPrecision(9)) : null;
      return [piece.startUnixMs, roundedCount(piece.total), roundedCount(piece.bad), left];
    });
    return [JSON.stringify({ objective: objectiveJson(status), curve })];
  };
}

/**
 * `GET /api/objectives/rules`: the tenant's objectives as recording and alerting rules for Prometheus. Errors: 400 for
 * any parameter.
 */
function rulesEndpoint(board: ObjectiveBoard): Endpoint {
  return ({ params, read }) => {
    readNothing(params);
    const rules = prometheusRules(ofTenant(board, read.tenant).map(({ objective }) => objective));
    return new TypedAnswer("application/yaml", rules);
  };
}

/** All endpoints of objectives by path. */
export function objectiveEndpoints(board: ObjectiveBoard): [path: string, definition: EndpointDefinition][] {
  const one = ({ path }: OperationDescription, answer: Endpoint): [string, EndpointDefinition] => [
    path,
    { method: "GET", answer, style: problemStyle, isHeavy: false },
  ];
  return [
    one(listOperation, listEndpoint(board)),
    one(curveOperation, curveEndpoint(board)),
    one(rulesOperation, rulesEndpoint(board)),
  ];
}
