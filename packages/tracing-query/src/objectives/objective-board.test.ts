import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ObjectiveBoard, type ReadCounts } from "./objective-board.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const minuteMs = 60_000;

/** An alert target that stores the received alerts. */
class Receiver {
  readonly bodies: { labels: Record<string, string>; endsAt?: string; status?: string }[][] = [];
  tries = 0;
  hangs = false;
  status = 200;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      this.tries++;
      if (this.hangs) {
        request.resume();
        return;
      }
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (this.status === 200) {
          const body = JSON.parse(Buffer.concat(chunks).toString());
          this.bodies.push(Array.isArray(body) ? body : body.alerts);
        }
        response.writeHead(this.status).end();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Objectives of all received alerts, in order; `-` marks the end of an alert. */
  get heard(): string[] {
    return this.bodies
      .flat()
      .map(({ labels, status }) => `${status === "resolved" ? "-" : ""}${labels.objective}`);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

let folder: string;
let path: string;
let alertmanager: Receiver;
let webhook: Receiver;
let addresses: { alertmanager: string; webhook: string };
let board: ObjectiveBoard;
let nowMs: number;
/** Share of bad spans by service. Reads of a service without a share hang. */
let bad: Map<string, number>;
let reads: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "objectives-"));
  path = join(folder, "objectives.yaml");
  [alertmanager, webhook] = [new Receiver(), new Receiver()];
  addresses = { alertmanager: await alertmanager.listen(), webhook: await webhook.listen() };
  nowMs = 20_000 * 24 * 60 * minuteMs + 30 * minuteMs;
  bad = new Map();
  reads = [];
});
afterEach(async () => {
  await board.close(AbortSignal.timeout(1_000));
  await Promise.all([alertmanager.close(), webhook.close(), rm(folder, { recursive: true })]);
});

const readCounts: ReadCounts = async ({ service }, { startUnixMs, endUnixMs, stepMs }) => {
  reads.push(service);
  const share = bad.get(service);
  if (share === undefined) {
    return await new Promise<never>(() => {});
  }
  if (share < 0) {
    throw new Error("the store is away");
  }
  const steps = Math.ceil((endUnixMs - startUnixMs) / stepMs);
  return Array.from({ length: share > 1 ? 0 : steps }, (_, step) => ({
    step,
    total: 100,
    good: 100 * (1 - share),
  }));
};

const objective = (name: string) => `{ name: ${name}, service: ${name}, target: 99.9 }`;
const targets = () =>
  `alertmanagers: [{ url: "${addresses.alertmanager}" }]\nwebhooks: [{ url: "${addresses.webhook}" }]`;

function fileOf(names: readonly string[], where = targets()): Promise<void> {
  return writeFile(path, `objectives: [${names.map(objective).join(", ")}]\n${where}`);
}

async function openBoard(): Promise<void> {
  board = new ObjectiveBoard({
    path,
    readCounts,
    log,
    now: () => nowMs,
    readTimeoutMs: 500,
    timeoutMs: 1_000,
    firstPauseMs: 50,
  });
  await board.open();
}

const stateOf = (name: string) => board.find("", name)?.state;
const soon = (read: () => unknown) => expect.poll(read, { timeout: 60_000, interval: 20 });

test("states, and alerts that begin and end", async () => {
  bad = new Map([
    ["burns", 0.5],
    ["met", 0.0001],
    ["empty", 2],
    ["away", -1],
  ]);
  await fileOf([...bad.keys()]);
  await openBoard();
  await board.round();
  await soon(() => [...bad.keys()].map(stateOf)).toEqual(["missed", "met", "empty", "failed"]);
  const burns = board.find("", "burns");
  expect(burns?.budgetLeft).toBeCloseTo(-499, 6);
  expect(burns?.burns.get("5m")?.rate).toBeCloseTo(500, 6);
  expect([...(burns?.firing.keys() ?? [])]).toEqual(["page", "ticket"]);
  expect(board.find("", "empty")?.budgetLeft).toBeUndefined();
  expect(board.find("", "away")?.error).toBe("the store is away");
  await soon(() => [webhook.heard.length, alertmanager.heard.length]).toEqual([2, 2]);
  expect(alertmanager.bodies[0]?.[0]?.labels).toMatchObject({
    ...{ alertname: "ErrorBudgetBurn", objective: "burns", service: "burns", severity: "page" },
  });

  // After a failed read the alert continues, and is sent again.
  bad.set("burns", -1);
  nowMs += minuteMs;
  await board.round();
  await soon(() => board.find("", "burns")?.newError).toBe("the store is away");
  expect(stateOf("burns")).toBe("missed");
  board.sayAgain();
  await soon(() => alertmanager.heard.length).toBe(4);
  expect(webhook.heard.length).toBe(2);

  bad.set("burns", 0);
  nowMs += 200 * minuteMs;
  await board.round();
  await soon(() => webhook.heard.slice(2)).toContain("-burns");
  await soon(() =>
    alertmanager.bodies.flat().some(({ endsAt }) => endsAt === new Date(nowMs).toISOString()),
  ).toBe(true);
});

test("an objective whose reads hang holds up no other, and ends no alert", async () => {
  bad = new Map([["burns", 0.5]]);
  const hanging = Array.from({ length: 12 }, (_, index) => `hangs-${index}`);
  await fileOf([...hanging, "burns"]);
  await openBoard();
  await board.round();
  await soon(() => stateOf("burns")).toBe("missed");
  await soon(() => hanging.map(stateOf).every((state) => state === "failed")).toBe(true);
  expect(board.find("", "hangs-0")?.error).toBe("the store did not answer within 0.5 s");
  // From now on the healthy objective does not wait for the failing ones.
  reads = [];
  nowMs += minuteMs;
  await board.round();
  await soon(() => reads).toContain("burns");
  expect(reads.filter((name) => name.startsWith("hangs")).length).toBeLessThanOrEqual(2);
  const before = alertmanager.heard.length;
  board.sayAgain();
  await soon(() => alertmanager.heard.length).toBeGreaterThan(before);
});

test("a target that hangs is tried once for all that waits, and holds up no other target", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `o-${index}`);
  bad = new Map(names.map((name) => [name, 0.5]));
  webhook.hangs = true;
  await fileOf(names);
  await openBoard();
  await board.round();
  await soon(() => new Set(alertmanager.heard).size).toBe(40);
  const target = board.targets.find(({ settings }) => settings.kind === "webhook");
  await soon(() => target?.error).toBe("did not answer in time");
  expect(target?.waiting).toBe(80);
  expect(webhook.tries).toBeLessThanOrEqual(3);
  webhook.hangs = false;
  await soon(() => new Set(webhook.heard).size).toBe(40);
  await soon(() => target?.waiting).toBe(0);
  expect(target?.error).toBeUndefined();
});

test("what waits for a target that is gone from the file reaches no other", async () => {
  bad = new Map([["a", 0.5]]);
  webhook.status = 503;
  await fileOf(["a"]);
  await openBoard();
  await board.round();
  await soon(() => webhook.tries).toBeGreaterThan(0);
  await soon(() => alertmanager.heard.length).toBeGreaterThan(0);
  await fileOf([], `alertmanagers: [{ url: "${addresses.alertmanager}" }]`);
  await board.round();
  // The objective is removed too, so its alert ends at all targets that know the alert.
  await soon(() =>
    alertmanager.bodies.flat().some(({ endsAt }) => endsAt === new Date(nowMs).toISOString()),
  ).toBe(true);
  // A request that was running when the file changed may still arrive.
  let tries = -1;
  const isQuiet = () => {
    const before = tries;
    tries = webhook.tries;
    return before === tries;
  };
  await expect.poll(isQuiet, { interval: 300, timeout: 60_000 }).toBe(true);
  webhook.status = 200;
  await sleep(300);
  expect([webhook.tries, webhook.heard]).toEqual([tries, []]);
});

test("a file with a mistake is told and not used; a new target hears of what fires", async () => {
  bad = new Map([
    ["a", 0.5],
    ["b", 0],
  ]);
  await fileOf(["a"], `alertmanagers: [{ url: "${addresses.alertmanager}" }]`);
  await openBoard();
  await board.round();
  await soon(() => stateOf("a")).toBe("missed");
  await writeFile(path, "objectives: [{ name: a }]");
  await board.round();
  expect(board.fileError).toMatch("objectives.0.service");
  expect(stateOf("a")).toBe("missed");
  await fileOf(["a", "b"]);
  await board.round();
  expect(board.fileError).toBeUndefined();
  await soon(() => stateOf("b")).toBe("met");
  // The objective counts the same spans, so it keeps its counts and its alert.
  expect(stateOf("a")).toBe("missed");
  board.sayAgain();
  await soon(() => webhook.heard).toEqual(["a", "a"]);
});
