import { expect, test } from "vitest";
import { KnownTwinDifferences } from "./compare/known-twin-differences.ts";
import type { Twins } from "./compare/twin-comparison.ts";
import type { Facts, Twin, TwinCase, TwinExchange } from "./twin-case.ts";
import type { SiteTally, TwinRunCounts } from "./twin-counts.ts";
import { type Finding, TwinRun, type TwinRunOptions } from "./twin-run.ts";

/** A server in memory: every text loads, and `answer` returns the observations of an exchange. */
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

interface RunOptions extends Partial<TwinRunOptions> {
  readonly alarms?: string[];
  readonly pairs?: number;
}

async function runOn(
  theirs: Twin,
  ours: Twin,
  { alarms = [], pairs = 1, ...options }: RunOptions = {},
): Promise<{ counts: TwinRunCounts; findings: Finding[]; tallies: SiteTally[] }> {
  const twins: Twins = { theirs, ours, alarms, isAlive: true, setPatience: () => {} };
  const findings: Finding[] = [];
  const tallies: SiteTally[] = [];
  const run = new TwinRun(
    Array.from({ length: pairs }, () => twins),
    {
      seed: 7,
      sites: 30,
      requests: 10,
      until: Number.POSITIVE_INFINITY,
      known: new KnownTwinDifferences([]),
      shrinkMs: 5_000,
      onFinding: (finding) => findings.push(finding),
      onSite: (tally) => tallies.push(tally),
      ...options,
    },
  );
  return { counts: await run.run(), findings, tallies };
}

test("two that do the same have no differences", async () => {
  const { counts } = await runOn(fakeTwin(same), fakeTwin(same));
  expect(counts.unknown.size).toBe(0);
  expect(counts.sites).toBe(30);
  expect(counts.requests).toBeGreaterThanOrEqual(300);
});

/** The status differs when the site has `encode` and the client sends POST. */
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
  expect(counts.unknown.get("answer N status: 200 / 500")).toBeGreaterThan(1);
});

test("a difference with a reason is counted as known", async () => {
  const known = new KnownTwinDifferences([
    {
      reason: "meant",
      site: "encode",
      request: "POST",
      facts: [{ path: "answer \\d+ (status|body)", ours: "500|other" }],
    },
  ]);
  const { counts } = await runOn(fakeTwin(same), fakeTwin(differs), { known });
  expect(counts.unknown.size).toBe(0);
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
  expect(counts.unknown.size).toBe(0);
  expect([...counts.unstable.keys()]).toEqual(["flow: none / held"]);
});

test("a difference that comes now and then is no kind, however often it is seen", async () => {
  let runs = 0;
  const twice: Twin = {
    ...fakeTwin(same),
    run: async ({ steps }) => {
      runs++;
      const exchanges = steps.flatMap((step) => step.exchanges.map(same));
      // The difference occurs in the first and second run, and in every third run after them.
      const isOdd = runs <= 2 || runs % 3 === 0;
      return { exchanges: exchanges.map((facts) => (isOdd ? { ...facts, flow: "held" } : facts)), site: {} };
    },
  };
  const { counts } = await runOn(fakeTwin(same), twice, { sites: 1 });
  expect(counts.unknown.size).toBe(0);
  expect(counts.unstable.get("flow: none / held")).toBeGreaterThan(0);
});

test("several pairs share the sites, and a run goes on where another one ended", async () => {
  const asked: number[] = [];
  const { tallies } = await runOn(fakeTwin(same), fakeTwin(differs), { pairs: 3 });
  expect(tallies.map(({ site }) => site).sort((one, other) => one - other)).toEqual(
    Array.from({ length: 30 }, (_, index) => index),
  );
  const { counts, findings } = await runOn(fakeTwin(same), fakeTwin(differs), {
    done: tallies.slice(0, 20),
    shrunk: tallies.flatMap(({ unknown }) => Object.keys(unknown)),
    onSite: ({ site }) => void asked.push(site),
  });
  const done = new Set(tallies.slice(0, 20).map(({ site }) => site));
  expect(asked).toHaveLength(10);
  expect(asked.filter((site) => done.has(site))).toEqual([]);
  expect(counts.sites).toBe(30);
  expect(findings).toEqual([]);
});

test("another pair goes on when a process has ended", async () => {
  let isAlive = true;
  const dying: Twin = {
    ...fakeTwin(same),
    run: async () => {
      isAlive = false;
      throw new Error("no answer");
    },
  };
  const fresh: Twins = {
    theirs: fakeTwin(same),
    ours: fakeTwin(same),
    alarms: [],
    isAlive: true,
    setPatience: () => {},
  };
  const run = new TwinRun(
    [
      {
        ...fresh,
        ours: dying,
        get isAlive() {
          return isAlive;
        },
      },
    ],
    {
      seed: 7,
      sites: 5,
      requests: 10,
      until: Number.POSITIVE_INFINITY,
      known: new KnownTwinDifferences([]),
      shrinkMs: 0,
      onFinding: () => {},
      onSite: () => {},
      reopen: async () => fresh,
    },
  );
  const counts = await run.run();
  expect(counts.sites).toBe(5);
  expect([...counts.unknown]).toEqual([["a process ended: no answer", 1]]);
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
