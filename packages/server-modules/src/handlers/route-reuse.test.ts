import { Registry } from "@prometheus-io/client";
import { httpApp } from "http-engine/http-app";
import { createLogger } from "lifecycle";
import { AppsParticipant } from "server-core/engine/apps";
import { decodeDocument } from "server-core/engine/config-document";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { OwnPorts } from "server-core/listen/port-source";
import { defineModule } from "server-core/modules/module";
import { ModuleRegistry } from "server-core/modules/module-registry";
import { PartCache } from "server-core/modules/part-cache";
import { UsagePool } from "server-core/modules/usage-pool";
import { memoryKeeper, TableState } from "server-core/threads/shared-state";
import { SharedTable } from "server-core/threads/shared-table";
import { SingleThread } from "server-core/threads/thread-messages";
import { reconcile } from "server-core/tree/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { subroute } from "./subroute/subroute.ts";

/** Apps with a handler `probe` that records the steps of its life. */
function startApps() {
  const events: string[] = [];
  const probe = defineModule({
    id: "http.handlers.probe",
    config: z.strictObject({ id: z.string(), bad: z.boolean().optional() }),
    provision({ id, bad }) {
      events.push(`made ${id}`);
      return {
        handle: () => {},
        validate() {
          if (bad) {
            throw new ServerError("MODULE_CONFIG", "bad");
          }
        },
        close: () => void events.push(`closed ${id}`),
      };
    },
  });
  const log = createLogger({ name: "server", level: "fatal", encoding: "json" });
  const apps = new AppsParticipant({
    registry: new ModuleRegistry([httpApp, subroute, probe]),
    pool: new UsagePool(),
    parts: new PartCache(),
    log,
    metrics: new Registry(),
    shared: new TableState(SharedTable.create(1), memoryKeeper()),
    messages: new SingleThread(),
    ports: new OwnPorts(log),
    dataFolder: "",
    changesTrustStores: false,
  });
  let config: JsonValue = null;
  const happened = () => events.splice(0).sort();
  return {
    apps,
    happened,
    async load(routes: unknown[], force = false): Promise<string[]> {
      const next = reconcile(config, { apps: { http: { servers: { s: { routes: routes as JsonValue } } } } });
      const transition = await apps.prepare(decodeDocument(next, force));
      await transition.commit();
      transition.committed?.();
      config = next;
      await new Promise((resolve) => setImmediate(resolve));
      return happened();
    },
  };
}

const route = (id: string, more: object = {}) => ({ handle: [{ handler: "probe", id, ...more }] });
const within = (...routes: unknown[]) => ({ handle: [{ handler: "subroute", routes }] });

test("a change makes anew what it touches, and closes only that", async () => {
  const { load, apps, happened } = startApps();
  expect(await load([route("a"), route("b"), route("c")])).toEqual(["made a", "made b", "made c"]);
  expect(await load([route("a"), route("b2"), route("c")])).toEqual(["closed b", "made b2"]);
  expect(await load([route("new"), route("a"), route("b2"), route("c")])).toEqual(["made new"]);
  expect(await load([route("a"), route("c")])).toEqual(["closed b2", "closed new"]);
  expect(await load([route("a"), route("c")], true)).toEqual(["closed a", "closed c", "made a", "made c"]);
  await apps.stop();
  expect(happened()).toEqual(["closed a", "closed c"]);
});

test("of routes within routes too", async () => {
  const { load } = startApps();
  await load([within(route("a"), route("b")), route("c")]);
  expect(await load([within(route("a"), route("b2")), route("c")])).toEqual(["closed b", "made b2"]);
});

test("a change that is refused, and a dry run, leave everything as it was", async () => {
  const { load, apps, happened } = startApps();
  await load([route("a"), route("b")]);
  await expect(load([route("a"), route("bad", { bad: true })])).rejects.toThrow("bad");
  expect(happened()).toEqual(["closed bad", "made bad"]);
  const routes = [route("a"), route("dry")] as unknown as JsonValue;
  await apps.check(decodeDocument({ apps: { http: { servers: { s: { routes } } } } }));
  expect(happened()).toEqual(["closed a", "closed dry", "made a", "made dry"]);
  expect(await load([route("a"), route("b")])).toEqual([]);
});
