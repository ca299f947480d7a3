import { Registry } from "@prometheus-io/client";
import { createLogger } from "lifecycle";
import { EventAborted, type EventHandler } from "server-core/events/server-event";
import { EventQueue } from "server-core/testing/event-queue";
import { beforeEach, expect, test } from "vitest";
import { EventCounters } from "./event-counters.ts";
import { HandlerQueue } from "./handler-queue.ts";
import { KnownEvent } from "./known-event.ts";

let registry: Registry;
let lines: string[];
beforeEach(() => {
  registry = new Registry();
  lines = [];
});

function queue(handle: EventHandler["handle"], timeoutMs = 60_000): HandlerQueue {
  const log = createLogger({ name: "server", level: "fatal", encoding: "json" });
  log.error = log.warn = (line: unknown) => void lines.push(String(line));
  const counters = new EventCounters(registry);
  return new HandlerQueue({ handle }, { name: "own", timeoutMs, maxWaiting: 2, counters, log });
}

const event = (name: string) => new KnownEvent({ name, module: "", at: 0, data: {} });

async function counted(): Promise<Record<string, number>> {
  const [metric] = await registry.getMetricsAsJSON();
  return Object.fromEntries((metric?.values ?? []).map(({ labels, value }) => [labels.outcome, value]));
}

test("one after the other; those that are too many pass by, are counted, and told of once", async () => {
  const begun = new EventQueue<{ name: string; end: () => void }>();
  const slow = queue(({ name }) => new Promise<void>((end) => begun.push({ name, end })));
  const runs = ["a", "b", "c", "d", "e"].map((name) => slow.run(event(name)));
  const names: string[] = [];
  for (const _ of "abc") {
    const { name, end } = await begun.next();
    names.push(name);
    end();
  }
  await Promise.all(runs);
  expect(names).toEqual(["a", "b", "c"]);
  expect(await counted()).toEqual({ done: 3, dropped: 2 });
  expect(lines).toEqual(["event handler own: 2 events wait for it, further ones pass it by"]);
});

test("failures are logged and hold nobody up; an abort is handed on with its reason", async () => {
  const failing = queue(({ name }) => {
    throw name === "no" ? new EventAborted("not now") : new Error("no luck");
  });
  expect(await failing.run(event("x"))).toBeUndefined();
  expect(await failing.run(event("no"))).toBe("not now");
  expect(await counted()).toEqual({ failed: 1, aborted: 1 });
  expect(lines).toEqual(["event handler own: x: no luck", "event handler own: no aborted: not now"]);
});

test("one that is not done in time is told so, and the next event has its turn", async () => {
  const told: string[] = [];
  const hanging = queue(({ name }, signal) => {
    if (name === "hangs") {
      signal.addEventListener("abort", () => told.push(String(signal.reason)));
      return new Promise(() => {});
    }
    return undefined;
  }, 10);
  expect(await hanging.run(event("hangs"))).toBeUndefined();
  expect(await hanging.run(event("next"))).toBeUndefined();
  expect(told).toEqual(["Error: not done after 10 ms"]);
  expect(await counted()).toEqual({ timeout: 1, done: 1 });
});

test("nothing that waits is begun once it is closed", async () => {
  const begun = new EventQueue<() => void>();
  const slow = queue(() => new Promise<void>((end) => begun.push(end)));
  const runs = [slow.run(event("a")), slow.run(event("b"))];
  const end = await begun.next();
  slow.close();
  end();
  await Promise.all(runs);
  expect(await counted()).toEqual({ done: 1, dropped: 1 });
});
