import { expect, test } from "vitest";
import { RequestGate } from "./request-gate.ts";

const never = new AbortController().signal;

test("lets in as many as it says, and others in order when one is over", async () => {
  const gate = new RequestGate({ maxConcurrent: 2, maxWaiting: 2 });
  const entered: string[] = [];
  const enter = async (name: string, signal = never) => {
    const leave = await gate.enter(signal);
    entered.push(name);
    return leave;
  };
  const [first, second] = await Promise.all([enter("a"), enter("b")]);
  const third = enter("c");
  const fourth = enter("d");
  await expect(gate.enter(never)).rejects.toMatchObject({ code: "QUERY_BUSY" });
  expect(entered).toEqual(["a", "b"]);

  first?.();
  first?.(); // Counts once.
  const leaveThird = await third;
  expect(entered).toEqual(["a", "b", "c"]);
  second?.();
  leaveThird();
  (await fourth)();
  expect(entered).toEqual(["a", "b", "c", "d"]);
  const again = await Promise.all([enter("e"), enter("f")]);
  expect(again).toHaveLength(2);
});

test("who gives up waiting takes no place", async () => {
  const gate = new RequestGate({ maxConcurrent: 1, maxWaiting: 1 });
  const leave = await gate.enter(never);
  const gone = new AbortController();
  const waiting = gate.enter(gone.signal);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(gate.enter(gone.signal)).rejects.toThrow("gone");
  const next = gate.enter(never);
  leave();
  (await next)();
  (await gate.enter(never))();
});

test("a tenant with many requests leaves a place free, and the others their turn", async () => {
  const gate = new RequestGate({ maxConcurrent: 3, maxWaiting: 10 });
  const entered: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = async (tenant: string) => {
    const leave = await gate.enter(never, tenant);
    entered.push(tenant);
    leaves.push(leave);
  };
  const all = ["big", "big", "big", "big", "big"].map(enter);
  await Promise.all(all.slice(0, 2));
  expect([entered, gate.inside]).toEqual([["big", "big"], 2]);
  await enter("small");
  all.push(...["small", "other", "small"].map(enter));
  while (leaves.length > 0) {
    leaves.shift()?.();
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  expect(entered).toEqual(["big", "big", "small", "other", "big", "small", "big", "small", "big"]);
  expect(gate.inside).toBe(0);
});

test.each([1, 2])("one tenant alone gets on with %i places", async (maxConcurrent) => {
  const gate = new RequestGate({ maxConcurrent, maxWaiting: 10 });
  const first = await gate.enter(never, "only");
  const second = gate.enter(never, "only");
  expect(gate.inside).toBe(1);
  first();
  (await second)();
  expect(gate.inside).toBe(0);
});

test("a full queue refuses the latest of the tenant that waits with the most", async () => {
  const gate = new RequestGate({ maxConcurrent: 1, maxWaiting: 3 });
  const leave = await gate.enter(never, "big");
  const waiting = [gate.enter(never, "big"), gate.enter(never, "big"), gate.enter(never, "big")];
  const latest = expect(waiting[2]).rejects.toMatchObject({ code: "QUERY_BUSY" });
  const small = gate.enter(never, "small");
  await latest;
  await expect(gate.enter(never, "big")).rejects.toMatchObject({ code: "QUERY_BUSY" });
  leave();
  (await waiting[0])?.();
  (await small)();
  (await waiting[1])?.();
  expect(gate.inside).toBe(0);
});

test("requests for a trace by its id wait for no search, and are told of their own limit", async () => {
  const gate = new RequestGate({ maxConcurrent: 1, maxConcurrentTraces: 1, maxWaiting: 0 });
  const leaveSearch = await gate.enter(never);
  const leaveTrace = await gate.traces.enter(never);
  await expect(gate.enter(never)).rejects.toThrow("--query.max-concurrent-reads and");
  await expect(gate.traces.enter(never)).rejects.toThrow("--query.max-concurrent-trace-reads and");
  leaveTrace();
  (await gate.traces.enter(never))();
  leaveSearch();
  const shared = new RequestGate({ maxConcurrent: 1, maxWaiting: 0 });
  const leave = await shared.enter(never);
  await expect(shared.traces.enter(never)).rejects.toMatchObject({ code: "QUERY_BUSY" });
  leave();
});
