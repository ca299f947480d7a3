import { expect, test } from "vitest";
import { KnownTwinDifferences } from "./compare/known-twin-differences.ts";
import type { Facts, Twin, TwinCase, TwinExchange } from "./twin-case.ts";
import { type Finding, TwinRun, type TwinRunCounts, type Twins } from "./twin-run.ts";

/** A server in memory: every text loads, and `answer` says what is seen of an exchange. */
function fakeTwin(answer: (site: string, exchange: TwinExchange) => Facts): Twin {
  const verdict = { status: 200, body: '{"result":{}}' };
  return {
    adapt: async () => verdict,
    load: async () => verdict,
    run: async ({ site, steps }: TwinCase) => ({
      exchanges: steps.flatMap((step) => step.exchanges.map((exchange) => answer(site, exchange))),
      site: {},
    }),
    close: async () => {},
  };
}

const same = (): Facts => ({ "answer 0 status": "200", "answer 0 body": "x" });

interface RunOptions {
  readonly seed?: number;
  readonly known?: KnownTwinDifferences;
  readonly alarms?: string[];
}

async function runOn(
  theirs: Twin,
  ours: Twin,
  { seed = 7, known = new KnownTwinDifferences([]), alarms = [] }: RunOptions = {},
): Promise<{ counts: TwinRunCounts; findings: Finding[] }> {
  const twins: Twins = { theirs, ours, alarms, setPatience: () => {} };
  const findings: Finding[] = [];
  const run = new TwinRun(twins, {
    seed,
    sites: 30,
    requests: 10,
    until: Number.POSITIVE_INFINITY,
    known,
    shrinkMs: 5_000,
    onFinding: (finding) => findings.push(finding),
    onSite: () => {},
  });
  return { counts: await run.run(), findings };
}

test("two that do the same have no differences", async () => {
  const { counts } = await runOn(fakeTwin(same), fakeTwin(same));
  expect(counts.findings.size).toBe(0);
  expect(counts.sites).toBe(30);
  expect(counts.requests).toBeGreaterThanOrEqual(300);
});

/** Another status where the site encodes and the client posts. */
const differs = (site: string, { requests }: TwinExchange): Facts =>
  /^\s*encode\b/m.test(site) && requests.some(({ method }) => method === "POST")
    ? { "answer 0 status": "500", "answer 0 body": "other" }
    : same();

test("a difference is found, counted as one, and shrunk to what it needs", async () => {
  const { counts, findings } = await runOn(fakeTwin(same), fakeTwin(differs));
  expect(findings.map(({ signature }) => signature)).toEqual(["answer N status: 200 / 500"]);
  const [finding] = findings;
  const afterOptions = finding?.twinCase.site.split("\n}\n").slice(1).join("\n");
  expect(afterOptions?.split("\n").filter((line) => /\w/.test(line))).toEqual([
    expect.stringMatching(/^\s*encode/),
  ]);
  expect(finding?.twinCase.steps).toHaveLength(1);
  expect(finding?.twinCase.steps[0]?.exchanges).toMatchObject([
    { via: "http", requests: [{ method: "POST", target: "/", fields: [] }] },
  ]);
  expect(counts.findings.get("answer N status: 200 / 500")?.count).toBeGreaterThan(1);
});

test("a difference with a reason is counted as known", async () => {
  const known = new KnownTwinDifferences([
    {
      reason: "meant",
      site: "encode",
      request: "POST",
      path: "answer \\d+ (status|body)",
      ours: "500|other",
    },
  ]);
  const { counts } = await runOn(fakeTwin(same), fakeTwin(differs), { known });
  expect(counts.findings.size).toBe(0);
  expect(counts.known.get("meant")).toBeGreaterThan(1);
});

test("a difference that is gone when the case runs again is told apart", async () => {
  const seen = new WeakSet<TwinExchange>();
  const once = (_site: string, exchange: TwinExchange): Facts => {
    const isFirst = !seen.has(exchange);
    seen.add(exchange);
    return isFirst ? { ...same(), flow: "held" } : same();
  };
  const { counts } = await runOn(fakeTwin(same), fakeTwin(once));
  expect(counts.findings.size).toBe(0);
  expect([...counts.unstable.keys()]).toEqual(["flow: none / held"]);
});

test("an alarm in our log is a difference", async () => {
  const alarms: string[] = [];
  const ours = fakeTwin(() => {
    alarms.push("uncaught error");
    return same();
  });
  const { findings } = await runOn(fakeTwin(same), ours, { alarms });
  expect(findings[0]?.difference).toMatchObject({ path: "alarm", ours: expect.stringContaining("uncaught") });
});

test("a site that the model refuses is repaired or counted, and refusals are compared", async () => {
  const refusing: Twin = {
    ...fakeTwin(same),
    adapt: async () => ({ status: 400, body: '{"error":"no, at Caddyfile:1"}' }),
    load: async () => ({ status: 400, body: "no" }),
  };
  const { counts, findings } = await runOn(refusing, fakeTwin(same));
  expect(counts.refused).toBe(30);
  expect(findings.map(({ difference }) => difference.path)).toEqual(["adapt"]);
});

test("a seed gives the same sites and requests each time, and another seed gives others", async () => {
  const told = async (seed: number) => {
    const asked: string[] = [];
    const twin = fakeTwin((site, exchange) => {
      asked.push(site + JSON.stringify(exchange));
      return same();
    });
    await runOn(twin, fakeTwin(same), { seed });
    return asked;
  };
  expect(await told(3)).toEqual(await told(3));
  expect(await told(3)).not.toEqual(await told(4));
});
