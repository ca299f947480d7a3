import { expect } from "vitest";
import { type ContractContext, expectStorageError, newToken, rowsOf, write } from "./contract-context.ts";
import { newServiceName, sampleSpan } from "./sample-spans.ts";

/** Contract of writes: blocks, tokens, refusals and aborted calls. */
export function writeContract({ store, test }: ContractContext): void {
  test("ready resolves", async () => {
    await store().ready();
  });

  test("writes: a repeated token is stored once", async () => {
    const span = sampleSpan();
    const token = newToken();
    await write(store(), [span], token);
    await write(store(), [span], token);
    await write(store(), [span], token);
    expect(await store().reader.getTraces([span.traceId])).toEqual([
      { traceId: span.traceId, spans: [span] },
    ]);
  });

  test("writes: the same rows under another token are stored again", async () => {
    const span = sampleSpan();
    await write(store(), [span]);
    await write(store(), [span]);
    const [trace] = await store().reader.getTraces([span.traceId]);
    expect(trace?.spans).toEqual([span, span]);
  });

  test("writes: a block repeated after midnight with the day of the first time is stored once", async () => {
    const { writer, reader } = store();
    const span = sampleSpan();
    const rows = rowsOf(span);
    const options = { deduplicationToken: newToken(), receivedUnixMs: Date.UTC(2026, 0, 1, 23, 59, 59, 999) };
    await writer.writeSpans(rows, options);
    await writer.writeSpans(rows, options);
    expect((await reader.getTraces([span.traceId]))[0]?.spans).toEqual([span]);
  });

  test("writes: from a source, where the engine takes one, as from memory", async () => {
    const { writer, reader } = store();
    const spans = [sampleSpan(), sampleSpan()];
    const pieces = async function* () {
      for (const span of spans) {
        yield rowsOf(span);
      }
    };
    const options = { deduplicationToken: newToken(), receivedUnixMs: Date.now() };
    await writer.writeSpanSource?.({ count: spans.length, pieces }, options);
    await writer.writeSpans(rowsOf(...spans), options);
    for (const span of spans) {
      expect((await reader.getTraces([span.traceId]))[0]?.spans).toEqual([span]);
    }
  });

  test("writes: a block without rows is nothing", async () => {
    await write(store(), []);
  });

  test("writes: rows that cannot be read are refused, and none of them is stored", async () => {
    const span = sampleSpan();
    const rows = rowsOf(span);
    const damaged = { bytes: Buffer.concat([rows.bytes, rows.bytes.subarray(0, 40)]), count: 2 };
    await expectStorageError(
      store().writer.writeSpans(damaged, { deduplicationToken: newToken() }),
      "STORAGE_REFUSED",
    );
    expect(await store().reader.getTraces([span.traceId])).toEqual([]);
  });

  test("reads: an id that is not 32 hex digits is refused", async () => {
    for (const id of ["", "abc", "G".repeat(32), "A".repeat(32), "a".repeat(33)]) {
      await expectStorageError(store().reader.getTraces([id]), "STORAGE_BAD_QUERY");
    }
  });

  test("calls with an aborted signal end with STORAGE_ABORTED and do nothing", async () => {
    const signal = AbortSignal.abort();
    const { reader, writer } = store();
    const service = newServiceName();
    const span = sampleSpan({ service });
    const rows = rowsOf(span);
    const calls = [
      () => writer.writeSpans(rows, { deduplicationToken: newToken(), signal }),
      () => reader.getTraces([span.traceId], { signal }),
      () => reader.findTraces({ service, limit: 1 }, { signal }),
      () => reader.findTraceIds({ service, limit: 1 }, { signal }),
      () => reader.getServices({ signal }),
      () => reader.getOperations({ service }, { signal }),
      () => store().ready(signal),
    ];
    for (const call of calls) {
      await expectStorageError(call(), "STORAGE_ABORTED");
    }
    expect(await reader.getTraces([span.traceId])).toEqual([]);
  });
}
