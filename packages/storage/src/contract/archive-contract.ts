import { expect } from "vitest";
import type { Span } from "wire/model";
import {
  type ContractContext,
  expectStorageError,
  newToken,
  rowsOf,
  rowsOfTenant,
  write,
} from "./contract-context.ts";
import { fullOtlpSpan, newServiceName, olderModelSpan, sampleSpan } from "./sample-spans.ts";

export function archiveContract({ store, test }: ContractContext): void {
  const archive = async (...spans: readonly Span[]) =>
    await store().archive.writer.writeSpans(rowsOf(...spans), { deduplicationToken: newToken() });

  test("archive: everything in a span comes back", async () => {
    const spans = [fullOtlpSpan(), olderModelSpan("proto"), olderModelSpan("jaeger")];
    await archive(...spans);
    const ids = spans.map(({ traceId }) => traceId);
    const { reader } = store().archive;
    expect(await reader.getTraces(ids)).toEqual(
      spans.map((span) => ({ traceId: span.traceId, spans: [span] })),
    );
    const packed = await reader.getPackedTraces?.(ids);
    expect((packed ?? []).map((trace) => trace.spans.at(0))).toEqual(packed === undefined ? [] : spans);
  });

  test("archive: it and the store do not see each other's traces", async () => {
    const service = newServiceName();
    const [stored, archived] = [sampleSpan({ service }), sampleSpan({ service: `${service}-archived` })];
    await write(store(), [stored]);
    await archive(archived);
    const ids = [stored.traceId, archived.traceId];
    expect((await store().reader.getTraces(ids)).map(({ traceId }) => traceId)).toEqual([stored.traceId]);
    expect((await store().archive.reader.getTraces(ids)).map(({ traceId }) => traceId)).toEqual([
      archived.traceId,
    ]);
    expect(await store().reader.getServices()).not.toContain(`${service}-archived`);
  });

  test("archive: a trace written again is not doubled, and grows by what is new", async () => {
    const first = sampleSpan({ kind: "client" });
    const { traceId, spanId } = first;
    const sharingItsId = sampleSpan({ traceId, spanId, kind: "server", service: "other" });
    const later = sampleSpan({ traceId });
    await archive(first, sharingItsId);
    await archive(first, sharingItsId);
    await archive(first, first, later);
    const [trace] = await store().archive.reader.getTraces([traceId]);
    const facts = trace?.spans.map((span) => `${span.spanId} ${span.kind}`).sort();
    expect(facts).toEqual([`${spanId} client`, `${spanId} server`, `${later.spanId} server`].sort());
  });

  test("archive: each tenant has its own", async () => {
    const span = sampleSpan();
    const tenant = `of ${span.traceId}`;
    await store().archive.writer.writeSpans(rowsOfTenant(tenant, span), { deduplicationToken: newToken() });
    const { reader } = store().archive;
    expect(await reader.getTraces([span.traceId], { tenant })).toHaveLength(1);
    expect(await reader.getTraces([span.traceId])).toEqual([]);
    await archive(span);
    expect((await reader.getTraces([span.traceId]))[0]?.spans).toEqual([span]);
    expect((await reader.getTraces([span.traceId], { tenant }))[0]?.spans).toEqual([span]);
  });

  test("archive: bad ids, bad rows and aborted calls are refused", async () => {
    const { reader, writer } = store().archive;
    await expectStorageError(reader.getTraces(["xyz"]), "STORAGE_BAD_QUERY");
    const damaged = { bytes: Buffer.from([200, 1, 2]), count: 1 };
    await expectStorageError(
      writer.writeSpans(damaged, { deduplicationToken: newToken() }),
      "STORAGE_REFUSED",
    );
    const signal = AbortSignal.abort();
    await expectStorageError(reader.getTraces([sampleSpan().traceId], { signal }), "STORAGE_ABORTED");
    const rows = rowsOf(sampleSpan());
    await expectStorageError(
      writer.writeSpans(rows, { deduplicationToken: newToken(), signal }),
      "STORAGE_ABORTED",
    );
  });
}
