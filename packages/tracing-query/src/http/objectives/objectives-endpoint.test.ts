import { Registry } from "@prometheus-io/client";
import { createLogger } from "lifecycle";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ObjectiveBoard } from "../../objectives/objective-board.ts";
import { registerObjectiveMetrics } from "../../objectives/objective-metrics.ts";
import { sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";
import { sampleTenants } from "../../testing/sample-service.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const count = 1_500;
const names = Array.from({ length: count }, (_, index) => `o-${String(index).padStart(4, "0")}`);
/** A hundred objectives burn, a hundred spent a hundredth of their budget, the others have no spans. */
const shares = new Map(
  names.map((name, index) => [name, index < 100 ? 0.5 : index < 200 ? 0.000_01 : undefined]),
);

let server: SampleServer;
let board: ObjectiveBoard;

beforeAll(async () => {
  board = new ObjectiveBoard({
    path: "",
    log,
    readCounts: async ({ service }, { startUnixMs, endUnixMs, stepMs }) => {
      const share = shares.get(service);
      const steps = share === undefined ? 0 : Math.ceil((endUnixMs - startUnixMs) / stepMs);
      return Array.from({ length: steps }, (_, step) => ({
        step,
        total: 1_000,
        good: 1_000 * (1 - (share ?? 0)),
      }));
    },
  });
  const objectives = names.map(
    (name) => `{ name: ${name}, service: ${name}, target: 99.9, tenant: a, window: 1d }`,
  );
  board.use(
    `objectives: [${objectives.join(", ")}, { name: of-b, service: s, target: 99.9, tenant: b }]\nwebhooks: [{ url: "http://127.0.0.1:9/secret" }]`,
  );
  await board.round();
  const isCounted = () =>
    board.statuses.every(({ counts }) => counts.untilMs > 0 && counts.nextOld() === undefined);
  await vi.waitFor(() => expect(isCounted()).toBe(true), { timeout: 60_000, interval: 50 });
  server = await openSampleServer(await sampleStore([]), {
    objectives: board,
    tenants: sampleTenants("a", "b"),
  });
});
afterAll(async () => {
  await board.close(AbortSignal.abort());
  await server.stop(AbortSignal.abort());
});

async function ask(path: string, tenant = "a") {
  const response = await fetch(`${server.base}/api/objectives${path}`, { headers: { "x-tenant": tenant } });
  const text = await response.text();
  return { status: response.status, text, json: () => JSON.parse(text) };
}

test("objectives come in pages, the worst first", async () => {
  const first = (await ask("?limit=2")).json();
  expect([first.total, first.matched, first.states]).toEqual([
    1_500,
    1_500,
    { missed: 100, met: 100, empty: 1_300 },
  ]);
  expect(first.objectives.map(({ name }: { name: string }) => name)).toEqual(["o-0000", "o-0001"]);
  expect(first.objectives[0]).toMatchObject({
    ...{ state: "missed", target: 99.9, windowHours: 24, budgetLeft: -499, neverFires: [] },
    alerts: [{ severity: "page" }, { severity: "ticket" }],
  });
  expect(first.objectives[0].burnRates[0]).toMatchObject({
    window: "5m",
    total: 5_000,
    bad: 2_500,
    rate: 500,
  });
  // The address of a webhook may be a secret.
  expect(first.targets[0]).toMatchObject({ host: "127.0.0.1:9", kind: "webhook" });
  const last = (await ask("?limit=200&offset=1400&order=name")).json();
  expect([last.objectives.length, last.objectives[0].name, last.objectives[0].budgetLeft]).toEqual([
    100,
    "o-1400",
    null,
  ]);
});

test("they are filtered by name and state, and belong to a tenant", async () => {
  const found = (await ask("?contains=O-01&state=met&limit=200")).json();
  expect([found.total, found.matched, found.objectives.length]).toEqual([1_500, 100, 100]);
  expect((await ask("", "b")).json().objectives.map(({ name }: { name: string }) => name)).toEqual(["of-b"]);
  expect((await ask("/curve?name=o-0001", "b")).status).toBe(404);
  expect((await ask("/rules", "b")).text).not.toContain("o-0001");
  expect((await ask("?state=good")).status).toBe(400);
});

test("a curve shows how the budget went", async () => {
  const { curve, objective } = (await ask("/curve?name=o-0100")).json();
  expect(objective.state).toBe("met");
  expect(curve.length).toBeGreaterThanOrEqual(24);
  const left = curve.map(([, , , share]: number[]) => share);
  expect(left.at(-1)).toBeCloseTo(objective.budgetLeft, 6);
  expect(left.every((share: number, index: number) => index === 0 || share <= left[index - 1])).toBe(true);
  expect(
    (await ask("/curve?name=o-0900"))
      .json()
      .curve.every(([, , , share]: (number | null)[]) => share === null),
  ).toBe(true);
});

test("metrics have no value where there are no spans", async () => {
  const registry = new Registry();
  registerObjectiveMetrics(board, registry);
  const text = await registry.metrics();
  const left = (name: string) =>
    text
      .split("\n")
      .find((line) => line.startsWith(`tracing_query_objective_error_budget_left_ratio{objective="${name}"`));
  expect(left("o-0000")).toMatch(/ -499(\.\d+)?$/);
  expect(left("o-0900")).toBeUndefined();
  expect(text).toContain('tracing_query_objective_alerts_firing{severity="page"} 100');
  expect(text).toContain("tracing_query_objective_file_valid 1");
});
