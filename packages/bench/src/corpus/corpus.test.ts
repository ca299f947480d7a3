import { describe, expect, test } from "vitest";
import { decodeTraces } from "wire/testing/decode-traces";
import { Corpus } from "./corpus.ts";

const batchSpans = 100;
/** More requests than the corpus has templates, so that each template is used twice. */
const requestCount = 70;

/** The spans of this many requests, parsed by the code of our collector. */
function spansOf(corpus: Corpus, requests = requestCount) {
  return Array.from({ length: requests }, () => decodeTraces(corpus.next().body)).flat();
}

describe("Corpus", () => {
  test("has spans of about 435 bytes and 10 attributes", () => {
    const corpus = new Corpus(batchSpans, 1, 2);
    const bodies = Array.from({ length: requestCount }, () => corpus.next().body);
    const spans = bodies.flatMap((body) => decodeTraces(body));
    const average = (sum: number) => sum / spans.length;
    expect(spans.length).toBe(requestCount * batchSpans);
    const bytes = average(bodies.reduce((sum, body) => sum + body.length, 0));
    expect(bytes).toBeGreaterThan(425);
    expect(bytes).toBeLessThan(445);
    const attributes = average(spans.reduce((sum, span) => sum + span.attributes.length, 0));
    expect(attributes).toBeGreaterThan(9.5);
    expect(attributes).toBeLessThan(10.5);
  });

  test("has the variety of real spans", () => {
    const spans = spansOf(new Corpus(batchSpans, 1, 2));
    const different = <Fact>(fact: (span: (typeof spans)[number]) => Fact) => new Set(spans.map(fact));
    expect(different((span) => span.resource.serviceName).size).toBe(8);
    expect(different((span) => `${span.resource.serviceName} ${span.name}`).size).toBeGreaterThan(25);
    expect([...different((span) => span.kind)].sort()).toEqual(
      ["internal", "server", "client", "producer", "consumer"].sort(),
    );
    const types = new Set(spans.flatMap((span) => span.attributes.map(({ value }) => value.type)));
    expect([...types].sort()).toEqual(["array", "bool", "double", "int", "string"]);
    const share = (wanted: typeof spans) => wanted.length / spans.length;
    expect(share(spans.filter((span) => span.status.code === "error"))).toBeGreaterThan(0.01);
    expect(share(spans.filter((span) => span.status.code === "error"))).toBeLessThan(0.08);
    expect(share(spans.filter((span) => span.events.length > 0))).toBeGreaterThan(0.05);
    expect(share(spans.filter((span) => span.parentSpanId === ""))).toBeLessThan(0.2);
  });

  test("never repeats an id or a unique text", () => {
    const spans = spansOf(new Corpus(batchSpans, 1, 2));
    expect(new Set(spans.map((span) => span.spanId)).size).toBe(spans.length);
    const messageIds = spans
      .flatMap((span) => span.attributes)
      .filter(({ key }) => key === "messaging.message.id")
      .map(({ value }) => (value.type === "string" ? value.value : ""));
    expect(messageIds.length).toBeGreaterThan(300);
    expect(new Set(messageIds).size).toBe(messageIds.length);
    expect(messageIds.every((id) => /^[0-9a-f]{16}$/.test(id))).toBe(true);
  });

  test("has whole trees: each parent is in the same trace and lasts longer than its child", () => {
    const spans = spansOf(new Corpus(batchSpans, 1, 2));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const roots = spans.filter((span) => span.parentSpanId === "");
    expect(new Set(roots.map((span) => span.traceId)).size).toBe(roots.length);
    for (const span of spans.filter(({ parentSpanId }) => parentSpanId !== "")) {
      const parent = byId.get(span.parentSpanId);
      expect(parent?.traceId).toBe(span.traceId);
      if (parent === undefined) {
        continue;
      }
      expect(span.startTimeUnixNano >= parent.startTimeUnixNano).toBe(true);
      expect(span.durationNano <= parent.durationNano).toBe(true);
    }
  });

  test("has times just before now, and events within their span", () => {
    const before = BigInt(Date.now()) * 1_000_000n;
    const spans = spansOf(new Corpus(batchSpans, 1, 2));
    const after = BigInt(Date.now() + 1) * 1_000_000n;
    for (const { startTimeUnixNano: start, durationNano, events } of spans) {
      expect(durationNano > 0n).toBe(true);
      expect(start > before - 10_000_000_000n && start + durationNano <= after).toBe(true);
      for (const { timeUnixNano } of events) {
        expect(timeUnixNano >= start && timeUnixNano <= start + durationNano).toBe(true);
      }
    }
  });

  test("gives the same for the same seeds, and other ids with the same shapes for another id seed", () => {
    const facts = (idSeed: number) =>
      spansOf(new Corpus(batchSpans, 7, idSeed), 3).map(({ name, traceId }) => ({ name, traceId }));
    const [first, again, other] = [facts(1), facts(1), facts(2)];
    expect(again).toEqual(first);
    expect(other.map(({ name }) => name)).toEqual(first.map(({ name }) => name));
    const known = new Set(first.map(({ traceId }) => traceId));
    expect(other.some(({ traceId }) => known.has(traceId))).toBe(false);
  });

  test("leaves a batch alone once it is given out", () => {
    const corpus = new Corpus(1, 1, 2);
    const batch = corpus.next();
    const copy = Buffer.from(batch.body);
    for (let sent = 0; sent < requestCount; sent++) {
      corpus.next();
    }
    expect(batch.body.equals(copy)).toBe(true);
    const traceId = batch.body.toString("hex", batch.traceIdAt, batch.traceIdAt + 16);
    expect(decodeTraces(batch.body)[0]?.traceId).toBe(traceId);
  });

  test("stamps the next batch, of whichever size, on one that was given back", () => {
    const corpus = new Corpus(batchSpans, 1, 2);
    const first = corpus.next();
    const ids = new Set(decodeTraces(first.body).map(({ spanId }) => spanId));
    corpus.giveBack(first);
    for (let sent = 0; sent < requestCount; sent++) {
      const next = corpus.next();
      expect(next.body.buffer).toBe(first.body.buffer);
      expect(next.message.readUInt32BE(1)).toBe(next.body.length);
      for (const { spanId } of decodeTraces(next.body)) {
        expect(ids.has(spanId)).toBe(false);
        ids.add(spanId);
      }
      corpus.giveBack(next);
    }
  });
});
