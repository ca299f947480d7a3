import { parseTraceQl } from "traceql";
import { expect } from "vitest";
import { type ContractContext, write } from "./contract-context.ts";
import {
  msNano,
  newServiceName,
  newTraceId,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
} from "./sample-spans.ts";

const secondNano = 1_000_000_000n;
const minuteMs = 60_000;
const noonUnixMs = Number(noonUnixNano / 1_000_000n);
const range = { startUnixNano: noonUnixNano, endUnixNano: noonUnixNano + 60n * secondNano - 1n };

const minutes = { startUnixMs: noonUnixMs, endUnixMs: noonUnixMs + minuteMs };

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/**
 * Contract of spans in several blocks, such as after a retry to another collector. Every answer counts such a span
 * once. An engine may need some seconds to find copies.
 */
export function repeatedContract({ store, test }: ContractContext): void {
  /** The results of all counting reads for a called service; `caller` is its caller. */
  async function counts(caller: string, service: string) {
    const { analysis, catalog, dependencies, metrics, reader, traceql } = store();
    const links = await dependencies.getDependencies(range);
    const calls = await metrics.getCallCounts(minutes);
    const spans = (await metrics.getSpanCounts(minutes)).filter((count) => count.service === service);
    const [rate] = await metrics.getCallRates({
      ...{ services: [service], spanKinds: ["server"], groupByOperation: true },
      ...{
        startUnixMs: noonUnixMs + minuteMs,
        endUnixMs: noonUnixMs + minuteMs,
        stepMs: minuteMs,
        ratePerMs: minuteMs,
      },
    });
    const map = await analysis.getHeatMap({ service, range, columns: 1 });
    const rank = await analysis.getDurationRank({
      ...{ service, operation: "GET /", durationNano: msNano, range },
    });
    const compared = await analysis.compareAttributes({
      selection: { service, hasError: true, startTimeMinUnixNano: range.startUnixNano },
      background: { service, startTimeMinUnixNano: range.startUnixNano },
      limit: 1,
    });
    const [operation] = await analysis.getTopOperations({ service, range, order: "calls", limit: 1 });
    const query = (rest: string) => parseTraceQl(`{ resource.service.name = "${service}" } | ${rest}`);
    const counted = await traceql.metrics({
      ...{
        query: query("count_over_time()"),
        range,
        stepNano: 60n * secondNano,
        maxSeries: 1,
        exemplars: false,
      },
    });
    const few = await traceql.search({ query: query("count() < 2"), range, limit: 9, spansPerSpanset: 9 });
    const values = await catalog.values({
      ...{ scope: "span", name: "card", range, filter: { service }, limit: 9 },
    });
    const ids = await reader.findTraceIds({ service, limit: 9 });
    const traces = (await reader.getPackedTraces?.(ids)) ?? (await reader.getTraces(ids));
    return {
      values: sum(values.map(({ count }) => count ?? 0)),
      traces: traces.map(({ spans: { length } }) => length),
      links: sum(links.filter((link) => link.parent === caller).map(({ callCount }) => callCount)),
      calls: sum(calls.filter((call) => call.parent === caller).map((call) => call.calls)),
      spans: sum(spans.map((count) => count.calls)),
      errors: sum(spans.map((count) => count.errors)),
      durationNano: sum(spans.map((count) => count.durationNano)),
      rate: Math.round((rate?.points.at(-1)?.value ?? 0) * 60),
      heatMap: sum(map.cells.map((cell) => cell.spans)),
      peers: rank?.peers,
      compared: [compared.selectedSpans, compared.otherSpans],
      top: operation?.calls,
      overTime: sum(counted.series.flatMap(({ samples }) => samples.map(({ value }) => value))),
      few: few.traces.map(({ spanSets: [set] }) => set?.matched),
    };
  }
  /** Waits until the engine has found the copies. */
  async function countedOnce(caller: string, service: string, calls: number): Promise<void> {
    const look = async () => {
      const links = await store().dependencies.getDependencies(range);
      const spans = await store().metrics.getSpanCounts(minutes);
      return [
        sum(links.filter(({ parent }) => parent === caller).map(({ callCount }) => callCount)),
        sum(spans.filter((count) => count.service === service).map((count) => count.calls)),
      ];
    };
    await expect.poll(look, { timeout: 60_000, interval: 100 }).toEqual([calls, calls]);
  }
  /** Two calls in two traces; one of them fails. */
  function calls(caller: string, service: string) {
    return [{}, { status: { code: "error", message: "" } } satisfies SpanFacts].map((facts, index) => {
      const traceId = newTraceId();
      const start = { startTimeUnixNano: noonUnixNano + BigInt(index) * secondNano };
      const parent = sampleSpan({ traceId, service: caller, kind: "client", ...start });
      const attributes = [{ key: "card", value: { type: "string" as const, value: "17" } }];
      return [
        parent,
        sampleSpan({ traceId, service, parentSpanId: parent.spanId, attributes, ...start, ...facts }),
      ];
    });
  }
  const once = {
    ...{ values: 2, traces: [2, 2] },
    ...{
      links: 2,
      calls: 2,
      spans: 2,
      errors: 1,
      durationNano: 2 * Number(msNano),
      rate: 2,
      heatMap: 2,
      peers: 2,
    },
    ...{ compared: [1, 1], top: 2, overTime: 2, few: [1, 1] },
  };

  test("repeated spans: a batch that two blocks hold counts once", async () => {
    const [caller, service] = [newServiceName(), newServiceName()];
    const spans = calls(caller, service).flat();
    for (let time = 0; time < 3; time++) {
      await write(store(), spans);
    }
    await countedOnce(caller, service, 2);
    expect(await counts(caller, service)).toEqual(once);
  });

  test("repeated spans: blocks that hold some of the same spans, and halves of calls, count each once", async () => {
    const [caller, service] = [newServiceName(), newServiceName()];
    const [[one, oneCalled] = [], [two, twoCalled] = []] = calls(caller, service);
    const blocks = [[oneCalled], [one, two], [oneCalled, twoCalled], [two, twoCalled], [one]];
    for (const block of blocks) {
      await write(
        store(),
        block.flatMap((span) => span ?? []),
      );
    }
    await countedOnce(caller, service, 2);
    expect(await counts(caller, service)).toEqual(once);
    // The count stays the same when another copy arrives later.
    await write(
      store(),
      [twoCalled].flatMap((span) => span ?? []),
    );
    await countedOnce(caller, service, 2);
    expect(await counts(caller, service)).toEqual(once);
  });

  test("repeated spans: both sides of a call with one id are two spans", async () => {
    const [caller, service] = [newServiceName(), newServiceName()];
    const client = sampleSpan({ service: caller, kind: "client", format: "zipkin" });
    const server = {
      ...client,
      kind: "server" as const,
      resource: { ...client.resource, serviceName: service },
    };
    for (let time = 0; time < 2; time++) {
      await write(store(), [client, server]);
    }
    await countedOnce(caller, service, 1);
    const { links, calls: called, spans, heatMap, overTime } = await counts(caller, service);
    expect({ links, called, spans, heatMap, overTime }).toEqual({
      links: 1,
      called: 1,
      spans: 1,
      heatMap: 1,
      overTime: 1,
    });
  });
}
