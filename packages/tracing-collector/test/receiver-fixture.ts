// The base of receivers' tests: a real journal in its own folder, and the spans that arrive in it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createLogger,
  createMetrics,
  type Logger,
  parseHostPort,
  type TenancyOptions,
  TenantCheck,
} from "lifecycle";
import { SamplingStrategyResponse, SamplingStrategyType } from "wire/api-v2";
import type { Span } from "wire/model";
import { RowScanner, readSpanRows, type SpanRows } from "wire/rows";
import { CollectorMetrics } from "../src/counts/metrics.ts";
import type { Journal } from "../src/pipeline/journal/journal.ts";
import { openJournalFolder } from "../src/pipeline/journal/open-journal-folder.ts";
import { SpanCounts } from "../src/pipeline/span-counts.ts";
import type { GrpcSettings } from "../src/receivers/grpc-listener.ts";
import type { HttpTimeouts } from "../src/receivers/http-listener.ts";
import { BodyReader } from "../src/receivers/read-body.ts";
import type { ReceiverAddress, ReceiverContext } from "../src/receivers/receiver.ts";
import { maxBodyBytes, maxUnfinishedBytes } from "../src/receivers/request-limits.ts";
import { UnfinishedBytes } from "../src/receivers/unfinished-bytes.ts";

export const quietLog: Logger = createLogger({ name: "test", level: "fatal", encoding: "json" });

export const anyPort: ReceiverAddress = {
  address: parseHostPort("127.0.0.1:0")!,
  what: "test receiver",
  flag: "test.host-port",
};

/** As the options have them by default. */
export const usualTimeouts: HttpTimeouts = { idleMs: 0, readMs: 300_000, readHeaderMs: 2_000 };

/** As by default, but for the size of messages. */
export function grpcLimits(maxMessageBytes: number): GrpcSettings {
  return { maxMessageBytes, maxConnectionAgeMs: 0, maxConnectionAgeGraceMs: 0 };
}

/** Bytes of a journal that takes one span of `oneSpanJson` and not two. */
export const roomForOneSpan = 200;

export const noTenancy: TenancyOptions = {
  "multi-tenancy.enabled": false,
  "multi-tenancy.header": "x-tenant",
  "multi-tenancy.tenants": [],
};

/** Tenants "acme" and "beta". */
export const twoTenants: TenancyOptions = {
  ...noTenancy,
  "multi-tenancy.enabled": true,
  "multi-tenancy.tenants": ["acme", "beta"],
};

export interface ReceiverFixture {
  readonly context: ReceiverContext;
  readonly journal: Journal;
  /** The rows that the journal has kept since the last call. */
  spans(): Promise<Span[]>;
  /** The same as tenant and name of each span. */
  spansByTenant(): Promise<[tenant: string, name: string][]>;
  /** Value of a metric by name and label values, such as `requests_total http otlp kept`. */
  metric(name: string, ...labels: string[]): Promise<number | undefined>;
  close(): Promise<void>;
}

export async function openReceiverFixture(
  maxBytes = 1_000_000_000,
  tenancy = noTenancy,
): Promise<ReceiverFixture> {
  const folder = await mkdtemp(join(tmpdir(), "collector-"));
  const journal = await openJournalFolder(
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
  const takeRows = async (): Promise<SpanRows[]> => {
    const all: SpanRows[] = [];
    while (journal.segments > 0) {
      const segment = await journal.take();
      if (segment === undefined) {
        break;
      }
      all.push(await segment.read(Buffer.alloc(segment.bytes)));
      await journal.remove(segment);
    }
    return all;
  };
  const unfinished = new UnfinishedBytes(maxUnfinishedBytes);
  return {
    context: {
      ...{ journal, metrics, log: quietLog },
      steps: [new SpanCounts(metrics)],
      tenants: new TenantCheck(tenancy),
      unfinished,
      bodies: new BodyReader({ maxBytes: maxBodyBytes, unfinished }),
      sampling: {
        // The name comes back as a rate limit: tests see which service was asked for.
        strategyFor: (service) =>
          SamplingStrategyResponse.fromPartial({
            strategyType: SamplingStrategyType.RATE_LIMITING,
            rateLimitingSampling: { maxTracesPerSecond: service.length },
          }),
        async close() {},
      },
    },
    journal,
    async spans() {
      return (await takeRows()).flatMap(({ bytes }) => readSpanRows(bytes));
    },
    async spansByTenant() {
      const scanner = new RowScanner();
      const all: [string, string][] = [];
      for (const rows of await takeRows()) {
        scanner.open(rows);
        while (scanner.next()) {
          const text = (start: number, end: number) =>
            Buffer.from(rows.bytes.subarray(start, end)).toString();
          all.push([text(scanner.tenantStart, scanner.tenantEnd), text(scanner.nameStart, scanner.nameEnd)]);
        }
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
    if (body.length > 127) {
      throw new Error("the fixture writes one-byte lengths only");
    }
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
