/**
 * `otlp-transcode/100x435`: spans per CPU-second from OTLP protobuf to rows, and from rows back to objects.
 * Run: `node packages/bench/src/micro/otlp-transcode.ts [seconds]`; one process, nothing else measured.
 */
import { OtlpTranscoder } from "wire/otlp";
import { readSpanRows } from "wire/rows";

const spansPerRequest = 100;
const seconds = Number(process.argv[2] ?? 3);

const attributes: readonly (readonly [key: string, value: string | number | boolean])[] = [
  ["http.request.method", "GET"],
  ["url.path", "/api/products/42"],
  ["url.scheme", "http"],
  ["server.address", "shop.example"],
  ["server.port", 8080],
  ["http.response.status_code", 200],
  ["user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0.0.0 Safari/537.36"],
  ["client.address", "192.0.2.17"],
  ["network.protocol.version", "1.1"],
  ["cache.hit", true],
];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}
function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}
function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9, number * 8 + 1);
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}
function keyValue(key: string, value: string | number | boolean): Buffer {
  const any =
    typeof value === "string"
      ? field(1, value)
      : varintField(typeof value === "number" ? 3 : 2, Number(value));
  return Buffer.concat([field(1, key), field(2, any)]);
}
function span(index: number): Buffer {
  const id = Buffer.alloc(16, index + 1);
  const start = 1_700_000_000_000_000_000n + BigInt(index) * 1_000_003n;
  return Buffer.concat([
    field(1, id),
    field(2, id.subarray(0, 8)),
    field(4, Buffer.alloc(8, index + 2)),
    field(5, `GET /api/products/{id}`),
    varintField(6, 2),
    fixed64Field(7, start),
    fixed64Field(8, start + 1_234_567n),
    ...attributes.map(([key, value]) => field(9, keyValue(key, value))),
    field(15, Buffer.alloc(0)),
  ]);
}
function request(): Buffer {
  const resource = Buffer.concat(
    Object.entries({
      "service.name": "shop",
      "host.name": "machine-1",
      "telemetry.sdk.language": "nodejs",
    }).map(([key, value]) => field(1, keyValue(key, value))),
  );
  const spans = Array.from({ length: spansPerRequest }, (_, index) => field(2, span(index)));
  const scopeSpans = Buffer.concat([field(1, field(1, "bench")), ...spans]);
  return field(1, Buffer.concat([field(1, resource), field(2, scopeSpans)]));
}

/** Spans per second of CPU time (other work on the machine does not count), after half a second of warming up. */
function rate(work: () => void): number {
  const warmUntil = performance.now() + 500;
  while (performance.now() < warmUntil) work();
  const before = process.cpuUsage();
  const end = performance.now() + seconds * 1000;
  let spans = 0;
  while (performance.now() < end) {
    for (let round = 0; round < 20; round++) work();
    spans += 20 * spansPerRequest;
  }
  const { user, system } = process.cpuUsage(before);
  return Math.round((spans * 1_000_000) / (user + system));
}

const bytes = request();
const transcoder = new OtlpTranscoder();
const rows = Buffer.from(transcoder.transcode(bytes).rows.bytes);
console.log(
  `request ${bytes.length / spansPerRequest} bytes/span, rows ${rows.length / spansPerRequest} bytes/span`,
);
console.log(`transcode ${rate(() => transcoder.transcode(bytes)).toLocaleString("en")} spans per CPU-second`);
console.log(`readSpanRows ${rate(() => readSpanRows(rows)).toLocaleString("en")} spans per CPU-second`);
