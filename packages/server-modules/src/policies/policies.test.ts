import { createHmac } from "node:crypto";
import { type MadeRequest, makeAnswering, makeExchange } from "http-engine/testing/make-exchange";
import { createLogger } from "lifecycle";
import type { ModuleDefinition } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { memoryKeeper, TableState } from "server-core/threads/shared-state";
import { SharedTable } from "server-core/threads/shared-table";
import { expect, test } from "vitest";
import { provisionModule } from "../../../admin-server/src/testing/provision-module.ts";
import { Candidate } from "../handlers/reverse-proxy/candidate.ts";
import { type SelectionPolicy, selectionPolicies } from "../handlers/reverse-proxy/selection-policy.ts";
import { Upstream } from "../handlers/reverse-proxy/upstream.ts";
import { clientIpHashPolicy } from "./client-ip-hash.ts";
import { cookiePolicy } from "./cookie.ts";
import { firstPolicy } from "./first.ts";
import { headerPolicy } from "./header.ts";
import { ipHashPolicy } from "./ip-hash.ts";
import { leastConnPolicy } from "./least-conn.ts";
import { queryPolicy } from "./query.ts";
import { randomChoosePolicy } from "./random-choose.ts";
import { selectByKey } from "./rendezvous.ts";
import { roundRobinPolicy } from "./round-robin.ts";
import { uriHashPolicy } from "./uri-hash.ts";
import { weightedRoundRobinPolicy } from "./weighted-round-robin.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

function candidates(count: number): Candidate[] {
  const shared = new TableState(SharedTable.create(1), memoryKeeper());
  return Array.from({ length: count }, (_, index) => {
    const upstream = new Upstream(`10.0.0.${index + 1}:80`, log, shared);
    return new Candidate(upstream, index, Number.POSITIVE_INFINITY, undefined);
  });
}

function policyOf(module: ModuleDefinition, config = {}): Promise<SelectionPolicy> {
  const name = module.id.slice(selectionPolicies.prefix.length + 1);
  return provisionModule(selectionPolicies, name, config);
}

const indexes = (policy: SelectionPolicy, pool: readonly Candidate[], requests: readonly MadeRequest[]) =>
  requests.map((request) => policy.select(pool, makeExchange(request))?.index);

test("rendezvous: a key keeps its upstream when others leave, and keys are spread", () => {
  const pool = candidates(5);
  const keys = Array.from({ length: 2_000 }, (_, index) => `client-${index}`);
  const before = keys.map((key) => selectByKey(pool, key)?.index);
  const counts = pool.map(({ index }) => before.filter((each) => each === index).length);
  for (const count of counts) {
    expect(count).toBeGreaterThan(300);
    expect(count).toBeLessThan(500);
  }
  const left = pool.filter(({ index }) => index !== 2);
  keys.forEach((key, at) => {
    const after = selectByKey(left, key)?.index;
    expect(before[at] === 2 || before[at] === after).toBe(true);
  });
});

test("first takes the first that is available", async () => {
  expect(indexes(await policyOf(firstPolicy), candidates(3).slice(1), [{}, {}])).toEqual([1, 1]);
});

test("round_robin takes each in turn, also when one leaves", async () => {
  const policy = await policyOf(roundRobinPolicy);
  expect(indexes(policy, candidates(3), Array(6).fill({}))).toEqual([1, 2, 0, 1, 2, 0]);
  expect(indexes(policy, candidates(3).slice(1), Array(4).fill({}))).toEqual([2, 1, 2, 1]);
});

test("weighted_round_robin gives each its share of any run as long as all weights", async () => {
  const policy = await policyOf(weightedRoundRobinPolicy, { weights: [5, 1, 0, 1] });
  const chosen = indexes(policy, candidates(4), Array(70).fill({}));
  expect(chosen.slice(0, 7)).toEqual([0, 0, 0, 0, 1, 3, 0]);
  for (let start = 0; start + 7 <= chosen.length; start++) {
    const run = chosen.slice(start, start + 7);
    expect([0, 1, 2, 3].map((index) => run.filter((each) => each === index).length)).toEqual([5, 1, 0, 1]);
  }
});

test("weighted_round_robin without any weight is refused", async () => {
  await expect(policyOf(weightedRoundRobinPolicy, { weights: [0, 0] })).rejects.toThrow("positive weight");
});

test("two threads with one policy take turns together", async () => {
  const { buffer } = SharedTable.create(3);
  const inThread = async (thread: number): Promise<SelectionPolicy> => {
    const shared = new TableState(new SharedTable(buffer, thread), memoryKeeper());
    const context = { path: "/config/x", shared } as unknown as ModuleContext;
    return (await roundRobinPolicy.provision({}, context)) as SelectionPolicy;
  };
  const [one, two] = [await inThread(1), await inThread(2)];
  const pool = candidates(3);
  const chosen = Array.from({ length: 9 }, (_, at) => indexes([one, two, two][at % 3] ?? one, pool, [{}])[0]);
  expect(chosen).toEqual([1, 2, 0, 1, 2, 0, 1, 2, 0]);
});

test("least_conn and random_choose look at requests under way", async () => {
  const pool = candidates(3);
  pool[0]?.upstream.begin();
  pool[2]?.upstream.begin();
  expect(indexes(await policyOf(leastConnPolicy), pool, Array(10).fill({}))).toEqual(Array(10).fill(1));
  const choose = await policyOf(randomChoosePolicy, { choose: 3 });
  expect(indexes(choose, pool, Array(10).fill({}))).toEqual(Array(10).fill(1));
  await expect(policyOf(randomChoosePolicy, { choose: 1 })).rejects.toThrow("at least 2");
});

test.each([
  ["ip_hash", ipHashPolicy, {}, (value: string) => ({ remoteAddress: `192.0.2.${value}` })],
  ["client_ip_hash", clientIpHashPolicy, {}, (value: string) => ({ remoteAddress: `192.0.2.${value}` })],
  ["uri_hash", uriHashPolicy, {}, (value: string) => ({ target: `/a?${value}` })],
  ["query", queryPolicy, { key: "k" }, (value: string) => ({ target: `/?x=1&k=${value}` })],
  ["header", headerPolicy, { field: "X-K" }, (value: string) => ({ headers: ["x-k", value] })],
  ["header Host", headerPolicy, { field: "Host" }, (value: string) => ({ host: `h${value}` })],
])("%s: the same value has the same upstream, others have others", async (_, module, config, request) => {
  const policy = await policyOf(module, config);
  const pool = candidates(4);
  const values = Array.from({ length: 30 }, (_each, index) => request(String(index)));
  const chosen = indexes(policy, pool, values);
  expect(indexes(policy, pool, values)).toEqual(chosen);
  expect(new Set(chosen).size).toBe(4);
});

test("query and header fall back where there is no value", async () => {
  const fallback = { policy: "first" };
  expect(
    indexes(await policyOf(queryPolicy, { key: "k", fallback }), candidates(3), [{}, { target: "/?k=" }]),
  ).toEqual([0, 0]);
  expect(indexes(await policyOf(headerPolicy, { field: "X", fallback }), candidates(3), [{}])).toEqual([0]);
});

test("cookie: a client comes back to its upstream, and nobody else can name one", async () => {
  const policy = await policyOf(cookiePolicy, {
    name: "sticky",
    secret: "s",
    max_age: "1h",
    fallback: { policy: "first" },
  });
  const pool = candidates(3);
  const { exchange } = makeAnswering();
  expect(policy.select(pool, exchange)?.index).toBe(0);
  const hash = (address: string, secret = "s") => createHmac("sha256", secret).update(address).digest("hex");
  const cookie = `sticky=${hash("10.0.0.1:80")}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax`;
  expect(exchange.responseHeaders.slice(-2)).toEqual(["Set-Cookie", cookie]);
  const back = { headers: ["Cookie", `a=b; sticky=${hash("10.0.0.3:80")}`] };
  const forged = { headers: ["Cookie", `sticky=${hash("10.0.0.3:80", "other")}`] };
  expect(indexes(policy, pool, [back, forged])).toEqual([2, 0]);
  const secure = makeAnswering({ encrypted: true }).exchange;
  policy.select(pool, secure);
  expect(secure.responseHeaders.at(-1)).toContain("; Secure; SameSite=None");
});
