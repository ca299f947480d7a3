import { parseTraceQl } from "traceql";
import { expect } from "vitest";
import type { TimeRange } from "../api/analysis-reader.ts";
import type { AttributeScope } from "../api/attribute-catalog.ts";
import { type ContractContext, expectStorageError, newToken, rowsOfTenant } from "./contract-context.ts";
import {
  attribute,
  everyAttribute,
  fullOtlpSpan,
  msNano,
  newServiceName,
  noonUnixNano,
  olderModelSpan,
  type SpanFacts,
  sampleSpan,
  text,
} from "./sample-spans.ts";

const minuteNano = 60_000_000_000n;

/** Tests share a store, so each test uses a day and a tenant that no other test uses. */
let days = 1_000n;
function newDay(): { readonly range: TimeRange; readonly tenant: string; at(minutes: number): SpanFacts } {
  const startUnixNano = noonUnixNano + ++days * 1_440n * minuteNano;
  return {
    range: { startUnixNano, endUnixNano: startUnixNano + 1_440n * minuteNano - 1n },
    tenant: newServiceName(),
    at: (minutes) => ({ startTimeUnixNano: startUnixNano + BigInt(minutes) * minuteNano }),
  };
}

/** The contract of names and values for completion. */
export function catalogContract({ store, test }: ContractContext): void {
  const writeOf = (tenant: string, ...spans: Parameters<typeof sampleSpan>[0][]) =>
    store().writer.writeSpans(rowsOfTenant(tenant, ...spans.map((facts) => sampleSpan(facts))), {
      deduplicationToken: newToken(),
    });

  test("catalog: names by scope, of one tenant and one range", async () => {
    const { range, tenant, at } = newDay();
    const full = fullOtlpSpan();
    const link = { ...full.links[0], attributes: [text("of.link", "1")] } as (typeof full.links)[0];
    await writeOf(
      tenant,
      {
        ...at(5),
        attributes: [text("of.span", "1"), text("of.span.too", "1")],
        events: [
          { timeUnixNano: 0n, name: "e", attributes: [text("of.event", "1")], droppedAttributesCount: 0 },
        ],
        links: [link],
        resource: { attributes: [text("of.resource", "1")] },
        scope: { attributes: [text("of.scope", "1")] },
      },
      { ...at(1_440), attributes: [text("later", "1")] },
    );
    await writeOf(`${tenant} 2`, { ...at(5), attributes: [text("of.another", "1")] });
    const { catalog } = store();
    const names = async (scope?: AttributeScope, prefix = "", of = tenant) =>
      (
        await catalog.names(
          { range, limit: 100, prefix, ...(scope === undefined ? {} : { scope }) },
          { tenant: of },
        )
      ).map((found) => `${found.scope}.${found.name}`);
    expect(await names("span")).toEqual(["span.of.span", "span.of.span.too"]);
    expect(await names("resource")).toEqual(["resource.of.resource", "resource.service.name"]);
    expect(await names("event")).toEqual(["event.of.event"]);
    expect(await names("link")).toEqual(["link.of.link"]);
    expect(await names("instrumentation")).toEqual(["instrumentation.of.scope"]);
    expect(await names("intrinsic")).toContain("intrinsic.span:status");
    expect(await names(undefined, "of.")).toEqual([
      "span.of.span",
      "span.of.span.too",
      "resource.of.resource",
      "event.of.event",
      "link.of.link",
      "instrumentation.of.scope",
    ]);
    expect(await names("span", "", `${tenant} 2`)).toEqual(["span.of.another"]);
    expect(await names("span", "", "nobody")).toEqual([]);
    expect(await names("resource", "", "nobody")).toEqual([]);
  });

  test("catalog: of too many names, the most frequent", async () => {
    const { range, tenant, at } = newDay();
    const [rare, often] = [text("a rare", "1"), text("b often", "1")];
    await writeOf(tenant, { ...at(0), attributes: [rare, often] }, { ...at(1), attributes: [often] });
    const found = await store().catalog.names({ scope: "span", range, limit: 1 }, { tenant });
    expect(found).toEqual([{ scope: "span", name: "b often" }]);
  });

  test("catalog: values by type, most frequent first", async () => {
    const { range, tenant, at } = newDay();
    await writeOf(
      tenant,
      { ...at(0), attributes: [text("k", "b"), attribute("k", { type: "int", value: 7n })] },
      { ...at(3), attributes: [text("k", "b"), attribute("k", { type: "double", value: 0.5 })] },
      { ...at(9), attributes: [attribute("k", { type: "bool", value: true }), text("other", "x")] },
      { ...at(9), attributes: [text("k", "7"), text("k", "x".repeat(1_025))] },
      { ...at(9), resource: { attributes: [text("k", "of resource")] } },
      { ...at(1_440), attributes: [text("k", "later")] },
    );
    const { catalog } = store();
    const query = { scope: "span", name: "k", range, limit: 100 } as const;
    expect(await catalog.values(query, { tenant })).toEqual([
      { type: "string", value: "b", count: 2 },
      { type: "bool", value: "true", count: 1 },
      { type: "float", value: "0.5", count: 1 },
      { type: "int", value: "7", count: 1 },
      { type: "string", value: "7", count: 1 },
    ]);
    expect(await catalog.values({ ...query, limit: 1 }, { tenant })).toHaveLength(1);
    expect(await catalog.values({ ...query, prefix: "7" }, { tenant })).toHaveLength(2);
    expect(await catalog.values({ ...query, scope: "resource" }, { tenant })).toEqual([
      { type: "string", value: "of resource", count: 1 },
    ]);
    expect(await catalog.values({ ...query, name: "nothing" }, { tenant })).toEqual([]);
    expect(await catalog.values(query, { tenant: "nobody" })).toEqual([]);
  });

  test("catalog: values of every kind and name, as they stand", async () => {
    const { range, tenant, at } = newDay();
    await writeOf(tenant, { ...fullOtlpSpan(), ...at(0), resource: {}, scope: {} });
    const valuesOf = async (name: string) =>
      (await store().catalog.values({ scope: "span", name, range, limit: 100 }, { tenant })).map(
        ({ value }) => value,
      );
    const plain = everyAttribute.filter(
      ({ key, value }) => key !== "long" && ["string", "bool", "int", "double"].includes(value.type),
    );
    for (const { key } of plain) {
      expect(await valuesOf(key), key).toHaveLength(plain.filter((other) => other.key === key).length);
    }
    for (const key of ["empty", "bytes", "array", "kvlist", "long"]) {
      expect(await valuesOf(key)).toEqual([]);
    }
    expect(await valuesOf("escapes")).toEqual([`'"\\\t\n\r\b{x:String}`]);
    expect(await valuesOf("') OR 1 --")).toEqual([]);
  });

  test("catalog: values of services and intrinsics", async () => {
    const { range, tenant, at } = newDay();
    const root = sampleSpan({
      ...at(0),
      service: "front",
      name: "root",
      status: { code: "error", message: "broken" },
      scope: { name: "lib", version: "1.2" },
      events: [{ timeUnixNano: 0n, name: "retry", attributes: [], droppedAttributesCount: 0 }],
    });
    await writeOf(
      tenant,
      root,
      { ...at(0), service: "back", name: "child", parentSpanId: root.spanId },
      {
        ...olderModelSpan("jaeger"),
        ...at(1),
        name: "old",
        resource: { serviceName: "legacy", attributes: [] },
      },
    );
    const { catalog } = store();
    const valuesOf = async (scope: AttributeScope, name: string) =>
      (await catalog.values({ scope, name, range, limit: 100 }, { tenant })).map(({ value }) => value).sort();
    expect(await valuesOf("resource", "service.name")).toEqual(["back", "front", "legacy"]);
    expect(await valuesOf("intrinsic", "name")).toEqual(["child", "old", "root"]);
    expect(await valuesOf("intrinsic", "span:name")).toEqual(["child", "old", "root"]);
    expect(await valuesOf("intrinsic", "rootName")).toEqual(["root"]);
    expect(await valuesOf("intrinsic", "trace:rootService")).toEqual(["front"]);
    expect(await valuesOf("intrinsic", "statusMessage")).toEqual(["broken"]);
    expect(await valuesOf("intrinsic", "event:name")).toEqual(["retry"]);
    expect(await valuesOf("intrinsic", "instrumentation:name")).toEqual(["lib"]);
    expect(await valuesOf("intrinsic", "instrumentation:version")).toEqual(["1.2"]);
    expect(await valuesOf("intrinsic", "status")).toEqual(["error", "ok", "unset"]);
    expect(await valuesOf("intrinsic", "duration")).toEqual([]);
    expect(await valuesOf("intrinsic", "no such")).toEqual([]);
    expect(await catalog.values({ scope: "intrinsic", name: "kind", range, limit: 1, prefix: "c" })).toEqual([
      { type: "keyword", value: "client" },
    ]);
  });

  test("catalog: values of spans that match", async () => {
    const { range, tenant, at } = newDay();
    const color = (value: string) => ({ attributes: [text("color", value), text(`is ${value}`, "yes")] });
    await writeOf(
      tenant,
      { ...at(0), ...color("red"), service: "a", name: "one" },
      { ...at(1), ...color("blue"), service: "a", name: "two", durationNano: 9n * msNano },
      { ...at(1), ...color("green"), service: "b", name: "one" },
    );
    const { catalog } = store();
    const colors = async (filter: object) =>
      (await catalog.values({ scope: "span", name: "color", range, limit: 9, filter }, { tenant })).map(
        ({ value }) => value,
      );
    const names = async (filter: object) =>
      (await catalog.names({ scope: "span", range, limit: 9, filter }, { tenant })).map(({ name }) => name);
    expect(await names({ service: "b" })).toEqual(["color", "is green"]);
    expect(await names({ tags: new Map([["color", "red"]]) })).toEqual(["color", "is red"]);
    expect(await colors({ service: "a" })).toEqual(["blue", "red"]);
    expect(await colors({ service: "a", operation: "one" })).toEqual(["red"]);
    expect(await colors({ durationMinNano: 5n * msNano })).toEqual(["blue"]);
    expect(await colors({ tags: new Map([["is green", "yes"]]) })).toEqual(["green"]);
    const colorsIf = async (text: string) => {
      const query = parseTraceQl(text);
      const stage = query.type === "search" ? query.pipeline.stages[0] : undefined;
      if (stage?.type !== "filter") {
        throw new Error(`no filter: ${text}`);
      }
      const { condition } = stage;
      const looked = { scope: "span", name: "color", range, limit: 9, condition } as const;
      return (await catalog.values(looked, { tenant })).map(({ value }) => value);
    };
    expect(await colorsIf('{ resource.service.name =~ "a|c" }')).toEqual(["blue", "red"]);
    expect(await colorsIf('{ span."is red" = "yes" || resource.service.name = "b" }')).toEqual([
      "green",
      "red",
    ]);
    expect(await colorsIf("{ duration < 5ms }")).toEqual(["green", "red"]);
    expect(await colorsIf('{ name != "one" }')).toEqual(["blue"]);
    expect(await colorsIf("{ false }")).toEqual([]);
    const services = async (filter: object) =>
      (
        await catalog.values({ scope: "resource", name: "service.name", range, limit: 9, filter }, { tenant })
      ).map(({ value }) => value);
    expect((await services({ operation: "one" })).sort()).toEqual(["a", "b"]);
    expect(await services({ tags: new Map([["color", "red"]]) })).toEqual(["a"]);
  });

  test("catalog: what cannot be answered is refused", async () => {
    const { catalog } = store();
    const { range } = newDay();
    const turned = { startUnixNano: 2n, endUnixNano: 1n };
    const values = { scope: "span", name: "k", range, limit: 1 } as const;
    for (const call of [
      () => catalog.names({ range, limit: 0 }),
      () => catalog.names({ range, limit: 10_002 }),
      () => catalog.names({ range: turned, limit: 1 }),
      () => catalog.names({ range, limit: 1, prefix: "x".repeat(9_000) }),
      () => catalog.values({ ...values, limit: 0.5 }),
      () => catalog.values({ ...values, range: turned }),
      () => catalog.values({ ...values, name: "x".repeat(9_000) }),
      () => catalog.values({ ...values, filter: { service: "x".repeat(9_000) } }),
    ]) {
      await expectStorageError(call(), "STORAGE_BAD_QUERY");
    }
    const aborted = { signal: AbortSignal.abort() };
    await expectStorageError(catalog.names({ range, limit: 1 }, aborted), "STORAGE_ABORTED");
    await expectStorageError(catalog.values(values, aborted), "STORAGE_ABORTED");
    const status = { ...values, scope: "intrinsic", name: "status" } as const;
    await expectStorageError(catalog.values(status, aborted), "STORAGE_ABORTED");
  });
}
