import { expect } from "vitest";
import { type ContractContext, write } from "./contract-context.ts";
import { newServiceName, sampleSpan, text } from "./sample-spans.ts";
import { askingTraceQl, range } from "./traceql-asking.ts";
import { valueSpan } from "./traceql-sample-spans.ts";

/** Contract of values in TraceQL: values of every type in every place match, and no value is interpreted as SQL. */
export function traceqlValuesContract(context: ContractContext): void {
  const { store, test } = context;
  const { search, metrics } = askingTraceQl(context);

  test("traceql: values of every type, where they are found, and where they are not", async () => {
    const service = newServiceName();
    await write(store(), [valueSpan(service)]);
    const isFound = async (condition: string) =>
      (await search(`{ resource.service.name = "${service}" && ${condition} }`)).traces.length === 1;
    for (const condition of [
      ...[
        "span.int = 200",
        ".int > 199.5",
        "span.int != 201",
        "span.int * 2 = 400",
        "-span.int = -200",
        "span.int / 3 = 66",
      ],
      ...[
        "span.float = 2.5",
        "span.float < 3",
        "span.text = `it's \\ \"1`",
        'span.text >= "it"',
        "span.flag",
        "!span.off",
      ],
      ...[
        "span.text =~ `it.*`",
        "span.text !~ `it`",
        "span.list = `b`",
        "span.list != `c`",
        "span.list != `b`",
        "span.list !~ `b`",
        "span.numbers = 2",
        "span.list =~ `[b-z]`",
      ],
      ...[
        "resource.zone = `eu`",
        ".zone = `eu`",
        ".both = `own`",
        "resource.both = `of resource`",
        "span.missing = nil",
        ".text != nil",
      ],
      ...[
        "event.code = 7",
        "event:name = `second`",
        "event:timeSinceStart >= 5ms",
        "link.why = `retry`",
        "event.code != 9",
      ],
      // At least one event or link must match.
      ...[
        "event.escaped",
        "event.both",
        "!event.both",
        "!!event.both",
        "!link.last",
        "(event.escaped && !link.last)",
        "(event.none || event.escaped)",
        "span.switches = true",
      ],
      ...[
        "link:traceID = `ffffffffffffffffffffffffffffffff`",
        "instrumentation.x = 1",
        "instrumentation:name = `lib`",
      ],
      ...[
        "instrumentation:version = `1.2`",
        "statusMessage = `broken`",
        "status = error",
        "kind = client",
        "duration = 1ms",
      ],
      ...[
        '."a \\"b" = `quoted`',
        "span:parentID = ``",
        "(span.int = 1 || span.flag) && !(span.off)",
        "rootServiceName != ``",
      ],
    ]) {
      expect([condition, await isFound(condition)]).toEqual([condition, true]);
    }
    for (const condition of [
      ...[
        "span.int = `200`",
        "span.text = 1",
        "span.missing != 1",
        "span.missing = 1",
        "span.int != `x`",
        "span.list !~ `[ab]`",
      ],
      ...[
        "span.zone = `eu`",
        ".both = `of resource`",
        "event.code != 7",
        "!event.escaped",
        "event.code",
        "!event.none",
        "link.last",
        "!!link.last",
        "(event.escaped && link.last)",
        "span.switches",
        "!span.switches",
        "event.none = nil && false",
        "span.text =~ `t`",
      ],
      ...[
        "span.text = `' OR 1=1 --`",
        "span.off",
        "!span.text",
        "span.int / 0 = 1",
        "status = ok",
        "span.bytes = `00ff`",
      ],
    ]) {
      expect([condition, await isFound(condition)]).toEqual([condition, false]);
    }
  });

  test("traceql: a span that ends before it starts has lasted for 0", async () => {
    const service = newServiceName();
    const early = sampleSpan({ service, name: "early", durationNano: -250_000_000n });
    await write(store(), [early]);
    const of = (condition: string) => `{ resource.service.name = "${service}" && ${condition} }`;
    const found = async (condition: string) => (await search(of(condition))).traces.length;
    expect(await found("duration = 0")).toBe(1);
    expect(await found("duration >= 0s")).toBe(1);
    expect(await found("duration < 1ns")).toBe(1);
    expect(await found("duration < 0s")).toBe(0);
    expect(await found("duration != 0")).toBe(0);
    expect(await found("duration > 1ns")).toBe(0);
    const [trace] = (await search(`${of("true")} | max(duration) >= 0s | sum(duration) = 0s`)).traces;
    expect(trace?.durationNano).toBe(0n);
    expect(trace?.spanSets[0]?.spans[0]?.durationNano).toBe(0n);
    const { series } = await metrics(`${of("true")} | min_over_time(duration)`);
    expect(series.flatMap(({ samples }) => samples.map(({ value }) => value))).toEqual([0]);
  });

  test("traceql: a span that was sent twice is found and counted once", async () => {
    const service = newServiceName();
    const sent = sampleSpan({ service, name: "twice" });
    const other = { ...sent, kind: "client" } as const;
    await write(store(), [sent, other]);
    await write(store(), [sent]);
    const of = `{ resource.service.name = "${service}" }`;
    const [trace] = (await search(of)).traces;
    expect([trace?.spanSets[0]?.matched, trace?.spanSets[0]?.spans.length]).toEqual([2, 2]);
    expect((await search(`${of} | count() > 2`)).traces).toEqual([]);
  });

  test("traceql: texts of a query are never taken for SQL", async () => {
    const service = newServiceName();
    const nasty = [
      "'",
      "\\",
      "\\'",
      "' OR 1=1 --",
      "{x:String}",
      "\u0000",
      "`",
      '"',
      "\n",
      "%",
      "?",
      "𝒳",
      "\\N",
      "'; DROP TABLE spans; --",
    ];
    await write(
      store(),
      nasty.map((value) => sampleSpan({ service, name: value, attributes: [text(value, value)] })),
    );
    const static_ = (value: string) => ({ type: "static", value: { type: "string", value } }) as const;
    for (const value of nasty) {
      const conditions = [
        { type: "intrinsic", name: "span:name" },
        { type: "attribute", scope: "span", name: value, ofParent: false },
      ] as const;
      for (const left of conditions) {
        const { traces } = await store().traceql.search({
          query: {
            ...{ type: "search", hints: [] },
            pipeline: {
              type: "pipeline",
              stages: [
                {
                  type: "filter",
                  condition: {
                    ...{ type: "binary", operator: "&&" },
                    left: {
                      ...{ type: "binary", operator: "=", right: static_(service) },
                      left: { type: "attribute", scope: "resource", name: "service.name", ofParent: false },
                    },
                    right: { type: "binary", operator: "=", left, right: static_(value) },
                  },
                },
              ],
            },
          },
          ...{ range, limit: 20, spansPerSpanset: 1 },
        });
        expect(traces.map(({ rootTraceName }) => rootTraceName)).toEqual([value]);
      }
    }
  });
}
