// What tests of receivers stand on: a real journal in a folder of its own, and the spans that arrive in it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics, type Logger, parseHostPort } from "lifecycle";
import type { Span } from "wire/model";
import { readSpanRows } from "wire/rows";
import { CollectorMetrics } from "../src/metrics.ts";
import { Journal } from "../src/pipeline/journal/journal.ts";
import type { ReceiverAddress, ReceiverContext } from "../src/receivers/receiver.ts";

export const quietLog: Logger = createLogger({ name: "test", level: "fatal", encoding: "json" });

export const anyPort: ReceiverAddress = {
  address: parseHostPort("127.0.0.1:0")!,
  what: "test receiver",
  flag: "test.host-port",
};

export interface ReceiverFixture {
  readonly context: ReceiverContext;
  readonly journal: Journal;
  /** What the journal has kept since the last call. */
  spans(): Promise<Span[]>;
  /** Value of a metric by name and label values, such as `requests_total http otlp kept`. */
  metric(name: string, ...labels: string[]): Promise<number | undefined>;
  close(): Promise<void>;
}

export async function openReceiverFixture(maxBytes = 1_000_000_000): Promise<ReceiverFixture> {
  const folder = await mkdtemp(join(tmpdir(), "collector-"));
  const journal = await Journal.open(
    {
      folder,
      sync: "off",
      maxBytes,
      segmentRows: 1,
      segmentBytes: 1,
      segmentAgeMs: 1_000,
      busySegmentRows: 1e6,
    },
    { committed() {} },
    quietLog,
  );
  const registry = createMetrics("test");
  const metrics = new CollectorMetrics(registry);
  return {
    context: { journal, metrics, log: quietLog },
    journal,
    async spans() {
      const all: Span[] = [];
      while (journal.segments > 0) {
        const segment = await journal.take();
        if (segment === undefined) break;
        all.push(...readSpanRows((await segment.read(Buffer.alloc(segment.bytes))).bytes));
        await journal.remove(segment);
      }
      return all;
    },
    async metric(name, ...labels) {
      const found = await registry.getSingleMetric(`tracing_collector_${name}`)?.get();
      return found?.values.find(({ labels: own }) =>
        labels.every((label) => Object.values(own).includes(label)),
      )?.value;
    },
    async close() {
      await journal.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The smallest OTLP JSON request with one span. */
export function oneSpanJson(name = "x", traceId = "5b8efff798038103d269b633813fc60c"): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId,
                spanId: "eee19b7ec3c1b174",
                name,
                startTimeUnixNano: "1795236904924000000",
                endTimeUnixNano: "1795236904934000000",
              },
            ],
          },
        ],
      },
    ],
  });
}

/** The same as protobuf. */
export function oneSpanProtobuf(
  name = "x",
  traceId = "5b8efff798038103d269b633813fc60c",
): Buffer<ArrayBuffer> {
  const field = (tag: number, bytes: Uint8Array | string): Buffer<ArrayBuffer> => {
    const body = Buffer.from(bytes as Uint8Array);
    if (body.length > 127) throw new Error("the fixture writes one-byte lengths only");
    return Buffer.concat([Buffer.from([tag, body.length]), body]);
  };
  const serviceName = field(
    0x0a,
    Buffer.concat([field(0x0a, "service.name"), field(0x12, field(0x0a, "shop"))]),
  );
  const span = Buffer.concat([
    field(0x0a, Buffer.from(traceId, "hex")),
    field(0x12, Buffer.from("eee19b7ec3c1b174", "hex")),
    field(0x2a, name),
  ]);
  const resourceSpans = Buffer.concat([field(0x0a, serviceName), field(0x12, field(0x12, span))]);
  return field(0x0a, resourceSpans);
}
