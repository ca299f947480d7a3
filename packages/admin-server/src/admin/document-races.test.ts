// Concurrent operations must have the same results, in document and answers, as in some sequential order.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { Registry } from "@prometheus-io/client";
import { createLogger } from "lifecycle";
import { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { Autosave } from "server-core/engine/autosave";
import { ConfigEngine } from "server-core/engine/config-engine";
import { ConfigMetrics } from "server-core/engine/config-metrics";
import type { Transition } from "server-core/engine/participant";
import { ServerError } from "server-core/errors";
import { ConfigHistory } from "server-core/history/config-history";
import { HistoryFiles } from "server-core/history/history-files";
import { ModuleRegistry } from "server-core/modules/module-registry";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { standardAdapters } from "../standard-adapters.ts";
import {
  type Answer,
  type ModelRequest,
  type ModelState,
  type Operation,
  operationsOf,
  type ScopeTag,
  sequentially,
} from "../testing/document-model.ts";
import { AdminHandler } from "./admin-handler.ts";
import { type AdminGate, AdminListener } from "./admin-listener.ts";
import { configRoutes } from "./config-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { loadRoute } from "./load-routes.ts";

const log = createLogger({ name: "server", level: "fatal", encoding: "json" });

const everybody: AdminGate = { check: () => ({}), permit: () => {} };

/** A whole config engine behind a real admin listener, whose changes wait for a gate. */
class GatedAdmin {
  readonly engine: ConfigEngine;
  readonly history: ConfigHistory;
  readonly listener: AdminListener;
  /** Changes prepare when this resolves. */
  gate: Promise<void> = Promise.resolve();
  /** Requests that the handler has. */
  arrived = 0;
  port = 0;

  constructor(folder: string) {
    const transition: Transition = { commit: () => immediate(), rollback: async () => {} };
    this.engine = new ConfigEngine({
      registry: new ModuleRegistry([]),
      participants: [{ prepare: () => this.gate.then(() => immediate(transition)), stop: async () => {} }],
      autosave: new Autosave(join(folder, "autosave.json")),
      metrics: new ConfigMetrics(new Registry()),
      log,
    });
    this.history = new ConfigHistory(new HistoryFiles(join(folder, "history")), log);
    const limits = { maxEntries: 100_000, maxBytes: 1e9 };
    this.engine.onChange(({ written, author }) =>
      this.history.record({ document: written, author, limits, persist: false }),
    );
    const adapters = new AdapterRegistry(standardAdapters);
    const routes = [
      ...configRoutes(this.engine, adapters),
      loadRoute(this.engine, adapters),
      ...historyRoutes(this.engine, this.history),
    ];
    const counted = routes.map((route) => ({
      path: route.path,
      handle: (request: Parameters<typeof route.handle>[0]) => {
        this.arrived++;
        return route.handle(request);
      },
    }));
    this.listener = new AdminListener(new AdminHandler(counted), log);
    this.listener.admit(everybody);
  }

  async open(): Promise<void> {
    const address = await this.listener.open({ network: "tcp", host: "127.0.0.1", port: 0 });
    this.port = address.network === "tcp" ? address.port : 0;
  }

  async send({ method, path, type, body, ifMatch }: ModelRequest): Promise<Answer> {
    const { status, text } = await ask(`http://127.0.0.1:${this.port}/`, {
      method,
      target: path,
      headers: {
        ...(type === undefined ? {} : { "Content-Type": type }),
        ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }),
      },
      body: body === undefined ? "" : JSON.stringify(body),
    });
    return { status, text: method === "GET" && status === 200 ? text : "" };
  }

  /**
   * Sends all requests, so that all of them reach the engine before the first one ends. @param meanwhile called at that
   * time
   */
  async overlap(requests: readonly ModelRequest[], meanwhile = () => {}): Promise<Answer[]> {
    const gate = Promise.withResolvers<void>();
    this.gate = gate.promise;
    const answers: Promise<Answer>[] = [];
    for (const request of requests) {
      const before = this.arrived;
      answers.push(this.send(request));
      while (this.arrived === before) {
        await immediate();
      }
      // The body is read, and the change is in the queue.
      for (let turn = 0; turn < 5; turn++) {
        await immediate();
      }
    }
    meanwhile();
    gate.resolve();
    return Promise.all(answers);
  }

  async close(): Promise<void> {
    await this.engine.stop();
    await this.listener.close();
  }
}

const base = {
  admin: { config: { persist: false } },
  apps: { t: { list: [0, 1, 2, 3, 4].map((n) => ({ "@id": `h${n}`, tags: [n], v: n })) } },
};
const other = {
  admin: { config: { persist: false } },
  apps: { t: { list: [4, 2, 0, 3, 1].map((n) => ({ "@id": `h${n}`, tags: [], v: -n })) } },
};

let folder: string;
let admin: GatedAdmin;
let start: ModelState;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "admin-server-"));
  admin = new GatedAdmin(folder);
  await admin.open();
  await admin.engine.load(Buffer.from(JSON.stringify(other)));
  start = { document: base, history: new Map([[admin.history.entries[0]?.n ?? 0, other]]) };
});
afterAll(async () => {
  await admin.close();
  await rm(folder, { recursive: true, force: true });
});

/** The current `If-Match` value of a scope: a path, or the object with an id, wherever it is. */
async function tagOf(scope: string): Promise<ScopeTag> {
  const { headers } = await ask(`http://127.0.0.1:${admin.port}${scope}`);
  const hash = /[0-9a-f]{16}/.exec(headers.etag ?? "")?.[0];
  return { scope, etag: `"${scope} ${hash}"` };
}

async function reset(): Promise<void> {
  admin.gate = Promise.resolve();
  await admin.engine.load(Buffer.from(JSON.stringify(base)));
}

function permutations<T>(all: readonly T[]): T[][] {
  return all.length < 2
    ? [[...all]]
    : all.flatMap((first, index) => permutations(all.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

/** Holds answers and document against every order. */
async function race(operations: readonly Operation[]): Promise<void> {
  const answers = await admin.overlap(operations.map(({ request }) => request));
  const document = (await admin.send({ method: "GET", path: "/config/" })).text;
  const seen = JSON.stringify({ answers, document });
  const orders = permutations(operations.map((_, index) => index));
  const possible = orders.map((order) => {
    const outcome = sequentially(
      start,
      order.map((index) => operations[index] as Operation),
    );
    const inPlace = operations.map((_, index) => outcome.answers[order.indexOf(index)]);
    return JSON.stringify({ answers: inPlace, document: outcome.document });
  });
  const names = operations.map(({ name }) => name);
  expect(possible, `${names.join(" | ")}: in no order`).toContain(seen);
}

test("every pair of operations, behind one that moves everything, is one after the other", {
  timeout: 240_000,
}, async () => {
  await reset();
  const scopes = ["/config/apps/t/list/3", "/id/h3", "/config/", "/id/h3/tags"];
  const all = operationsOf(start, await Promise.all(scopes.map(tagOf)));
  const mover = all.find(({ name }) => name === "PUT list/0") as Operation;
  for (const first of all) {
    for (const second of all) {
      await reset();
      await race([mover, first, second]);
    }
  }
  expect(all.length).toBeGreaterThan(20);
});

test("three operations at once leave what some order leaves", { timeout: 240_000 }, async () => {
  await reset();
  const all = operationsOf(start, [await tagOf("/id/h3")]);
  let seed = 37;
  const draw = (): Operation => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return all[seed % all.length] as Operation;
  };
  for (let round = 0; round < 150; round++) {
    await reset();
    await race([draw(), draw(), draw()]);
  }
});

test("a change whose client loses its rights while it waits is refused", async () => {
  await reset();
  const body = (v: string): ModelRequest => ({
    method: "PATCH",
    path: "/id/h1/v",
    type: "application/json",
    body: v,
  });
  const nobody: AdminGate = {
    check() {
      throw new ServerError("ADMIN_FORBIDDEN", "not any more");
    },
    permit: () => {},
  };
  const answers = await admin.overlap([body("first"), body("second")], () => admin.listener.admit(nobody));
  admin.listener.admit(everybody);
  expect(answers.map(({ status }) => status)).toEqual([200, 403]);
  expect((await admin.send({ method: "GET", path: "/id/h1/v" })).text).toBe('"first"\n');
});
