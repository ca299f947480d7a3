import { expect } from "vitest";
import type { Span } from "wire/model";
import type { TraceStore } from "../api/trace-store.ts";
import { type ContractContext, expectStorageError, newToken, rowsOfTenant } from "./contract-context.ts";
import { newServiceName, sampleSpan } from "./sample-spans.ts";

async function writeAs(store: TraceStore, tenant: string, ...spans: readonly Span[]): Promise<void> {
  await store.writer.writeSpans(rowsOfTenant(tenant, ...spans), { deduplicationToken: newToken() });
}

const names = (services: readonly string[], ...own: readonly string[]) =>
  services.filter((name) => own.includes(name));

/**
 * Contract of tenants: a tenant never sees the spans of another tenant. Each test uses new tenants, because tests share
 * a store.
 */
export function tenantContract({ store, test }: ContractContext): void {
  test("tenants: each sees its own services, operations and traces only", async () => {
    const [service, other] = [newServiceName(), newServiceName()];
    const [one, two] = [`tenant of ${service}`, `tenant of ${other}`];
    const ofOne = sampleSpan({ service, name: "of one" });
    const ofTwo = sampleSpan({ service, name: "of two" });
    const onlyTwo = sampleSpan({ service: other, name: "only two" });
    const ofNobody = sampleSpan({ service, name: "of nobody" });
    await writeAs(store(), one, ofOne);
    await writeAs(store(), two, ofTwo, onlyTwo);
    await writeAs(store(), "", ofNobody);
    const { reader } = store();
    const ids = [ofOne, ofTwo, onlyTwo, ofNobody].map(({ traceId }) => traceId);

    const rows: [string | undefined, Span[]][] = [
      [one, [ofOne]],
      [two, [ofTwo, onlyTwo]],
      ["", [ofNobody]],
      [undefined, [ofNobody]],
      [`neither ${service}`, []],
    ];
    for (const [tenant, spans] of rows) {
      const options = tenant === undefined ? {} : { tenant };
      const services = [...new Set(spans.map(({ resource }) => resource.serviceName))].sort();
      expect(names(await reader.getServices(options), service, other)).toEqual(services);
      for (const asked of [service, other]) {
        const own = spans.filter(({ resource }) => resource.serviceName === asked);
        expect((await reader.getOperations({ service: asked }, options)).map(({ name }) => name)).toEqual(
          own.map(({ name }) => name),
        );
        const traceIds = own.map(({ traceId }) => traceId);
        expect(await reader.findTraceIds({ service: asked, limit: 10 }, options)).toEqual(traceIds);
        expect(await reader.findTraces({ service: asked, limit: 10 }, options)).toEqual(
          own.map((span) => ({ traceId: span.traceId, spans: [span] })),
        );
      }
      expect(await reader.getTraces(ids, options)).toEqual(
        spans.map((span) => ({ traceId: span.traceId, spans: [span] })),
      );
    }
  });

  test("tenants: spans of one trace id belong to two traces", async () => {
    const service = newServiceName();
    const ofOne = sampleSpan({ service });
    const ofTwo = sampleSpan({ service, traceId: ofOne.traceId });
    const mixed = rowsOfTenant(`a ${service}`, ofOne);
    await store().writer.writeSpans(mixed, { deduplicationToken: newToken() });
    await writeAs(store(), `b ${service}`, ofTwo);
    const { reader } = store();
    for (const [tenant, span] of [
      [`a ${service}`, ofOne],
      [`b ${service}`, ofTwo],
    ] as const) {
      const [trace] = await reader.getTraces([ofOne.traceId], { tenant });
      expect(trace?.spans).toEqual([span]);
      const [found] = await reader.findTraces({ service, limit: 1 }, { tenant });
      expect(found?.spans).toEqual([span]);
    }
    expect(await reader.getTraces([ofOne.traceId])).toEqual([]);
  });

  test("tenants: tags and times find nothing of others", async () => {
    const service = newServiceName();
    const span = sampleSpan({
      service,
      attributes: [{ key: "secret", value: { type: "string", value: service } }],
    });
    await writeAs(store(), `a ${service}`, span);
    const { reader } = store();
    for (const query of [
      { tags: new Map([["secret", service]]), limit: 10 },
      { tags: new Map([["service.name", service]]), limit: 10 },
      { service, startTimeMinUnixNano: span.startTimeUnixNano, limit: 10 },
    ]) {
      expect(await reader.findTraceIds(query, { tenant: `a ${service}` })).toEqual([span.traceId]);
      expect(await reader.findTraceIds(query, { tenant: `b ${service}` })).toEqual([]);
      expect(await reader.findTraceIds(query)).toEqual([]);
    }
  });

  test("tenants: names with any characters are names, not patterns or SQL", async () => {
    const service = newServiceName();
    const span = sampleSpan({ service });
    const tenant = `' OR 1=1 -- \\ % \t ä ${service}`;
    await writeAs(store(), tenant, span);
    const { reader } = store();
    expect(await reader.findTraceIds({ service, limit: 1 }, { tenant })).toEqual([span.traceId]);
    expect(names(await reader.getServices({ tenant }), service)).toEqual([service]);
    for (const other of ["' OR 1=1 -- ", "%", tenant.toUpperCase()]) {
      expect(await reader.findTraceIds({ service, limit: 1 }, { tenant: other })).toEqual([]);
    }
  });

  test("tenants: a name of over 1,024 bytes is refused", async () => {
    const { reader } = store();
    const tenant = "ä".repeat(513);
    const calls = [
      () => reader.getTraces([sampleSpan().traceId], { tenant }),
      () => reader.findTraces({ limit: 1 }, { tenant }),
      () => reader.findTraceIds({ limit: 1 }, { tenant }),
      () => reader.getServices({ tenant }),
      () => reader.getOperations({ service: "s" }, { tenant }),
    ];
    for (const call of calls) {
      await expectStorageError(call(), "STORAGE_BAD_QUERY");
    }
    const most = { tenant: "ä".repeat(512) };
    expect(await reader.getServices(most)).toEqual([]);
    const tags = new Map(Array.from({ length: 64 }, (_, index) => [`key${index}`, "v".repeat(120)]));
    expect(await reader.findTraceIds({ tags, limit: 1 }, most)).toEqual([]);
  });
}
