// A ClickHouse cluster whose last server hangs, or is killed repeatedly, under load and searches.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { newSeed, randomOf } from "../faults/seeded-random.ts";
import { SpanLedger } from "../faults/span-ledger.ts";
import { SpanSenders } from "../faults/span-senders.ts";
import { type GridProcesses, namedGrid, openGridProcesses } from "./grid-processes.ts";
import { Searchers } from "./searchers.ts";

const grid = namedGrid();
const patienceMs = 180_000;
/** Number of rounds in which the last server is killed during searches. */
const kills = 4;
/** Number of answers to searches before a server is killed, and before it is started again. */
const searchesBetween = 40;
const pauseMs = 100;

const service = "fault-test";
const paths = [
  `/api/traces?service=${service}&limit=20&lookback=1h`,
  `/tempo/api/search?q=${encodeURIComponent(`{ resource.service.name = "${service}" && span.ballast != "" } | count() > 0`)}&limit=20`,
  `/tempo/api/search?q=${encodeURIComponent("{ duration > 1ms }")}&limit=20`,
  "/api/services",
  `/api/metrics/calls?service=${service}&lookback=3600000`,
];

describe.skipIf(grid === undefined)(
  "a grid of ClickHouse servers that TRACING_TEST_CLUSTER_GRID names",
  () => {
    let backend: GridProcesses;
    let ledger: SpanLedger;
    let senders: SpanSenders;
    let searchers: Searchers | undefined;

    beforeEach(async () => {
      backend = await openGridProcesses(grid!);
      ledger = new SpanLedger();
      const random = randomOf(newSeed());
      senders = new SpanSenders({ ...backend, ledger, random, lanesPerDoor: 1, pauseMs });
      await senders.more(5, patienceMs);
      searchers = new Searchers(backend.queryUrl, paths);
    }, 2 * patienceMs);
    afterEach(async () => {
      await searchers?.stop();
      await senders?.stop();
      await backend?.close();
    }, patienceMs);

    const searches = async (count: number) => {
      const { counts } = searchers!;
      const goal = counts.good + counts.bad.length + count;
      await eventually(async () => {
        expect(counts.good + counts.bad.length).toBeGreaterThanOrEqual(goal);
      }, patienceMs);
    };
    const lastUrl = grid?.urls.at(-1) ?? "";
    /** Resolves when a process reports this state of the last server. */
    const lastIs = async (process: TestedProcess, isUp: boolean) => {
      const host = new URL(lastUrl).host;
      await eventually(async () => {
        const { text } = await ask(process.metricsUrl);
        const line = text
          .split("\n")
          .find((one) => one.startsWith("tracing_clickhouse_host_up{") && one.includes(host));
        expect(line).toMatch(isUp ? / 1$/ : / 0$/);
      }, patienceMs);
    };
    /** Checks that every acknowledged span is in every table once. */
    const expectExactCounts = async () => {
      await searchers?.stop();
      await senders.stop();
      const report = await eventually(async () => {
        const found = await ledger.compare(grid?.urls[0] ?? "", backend.database);
        expect(found).toMatchObject({ missing: 0 });
        return found;
      }, patienceMs);
      expect(report).toMatchObject({ duplicates: 0, problems: [] });
      const table = (sum: string, name: string) => `(SELECT ${sum} FROM ${backend.database}.${name})`;
      const counts = [
        table("count()", "spans"),
        table("uniqExact(trace_id, span_id)", "spans"),
        table("sum(calls)", "span_metrics"),
      ];
      // A server that was down fetches the missing rows.
      await eventually(async () => {
        const [rows = "", ...others] = (await backend.sql(`SELECT ${counts.join(", ")}`)).split("\t");
        expect(others).toEqual([rows, rows]);
        expect(Number(rows)).toBeGreaterThanOrEqual(report.acknowledged);
      }, patienceMs);
      return report;
    };

    test(
      "finds a server that hangs, and no search fails meanwhile",
      async () => {
        const seconds: string[] = [];
        for (let round = 0; round < kills; round++) {
          // Each round uses a different time between two pings.
          await sleep(round * 300);
          const startMs = performance.now();
          await grid?.last("stop");
          try {
            await Promise.all(
              [backend.query, backend.collector].map(async (process) => {
                await lastIs(process, false);
                seconds.push(((performance.now() - startMs) / 1_000).toFixed(1));
              }),
            );
            await searches(searchesBetween);
            const health = await ask(new URL("/", backend.query.metricsUrl).href);
            expect(health.status, health.text).toBe(200);
          } finally {
            await grid?.last("cont");
          }
          await Promise.all([backend.query, backend.collector].map((process) => lastIs(process, true)));
        }
        await senders.more(5, patienceMs);
        const { counts } = searchers!;
        const { acknowledged } = await expectExactCounts();
        console.info(
          `a hung server was found after ${seconds.join(", ")} s; ${acknowledged} spans stored once; ${counts.good} searches, the slowest ${counts.slowestMs} ms (${counts.slowest}), ${counts.partial} partial`,
        );
        expect(counts.bad).toEqual([]);
      },
      4 * patienceMs,
    );

    test(
      "answers all searches while a server is killed again and again",
      async () => {
        for (let round = 0; round < kills; round++) {
          await searches(searchesBetween);
          await grid?.last("kill");
          await lastIs(backend.query, false);
          await searches(searchesBetween);
          await grid?.last("start");
          await lastIs(backend.query, true);
        }
        await senders.more(5, patienceMs);
        const { counts } = searchers!;
        const { acknowledged } = await expectExactCounts();
        console.info(
          `a server was killed ${kills} times; ${acknowledged} spans stored once; ${counts.good} searches, the slowest ${counts.slowestMs} ms (${counts.slowest}), ${counts.partial} partial`,
        );
        expect(counts.bad).toEqual([]);
      },
      4 * patienceMs,
    );
  },
);
