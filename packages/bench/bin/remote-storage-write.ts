// Spans written to a running remote storage over gRPC, ours or the public model's:
//
//   node packages/bench/bin/remote-storage-write.ts [host:port] [spans] [calls] [admin host:port]
//
// First it sends over streams, then one span in each call, with `calls` concurrent calls. Prints spans per second (of
// the wall clock, valid only on a quiet machine), and CPU-seconds of the storage per million spans if its admin port
// has `process_cpu_seconds_total`.

import { randomBytes } from "node:crypto";
import { Client, credentials, Metadata, type MethodDefinition, status } from "@grpc/grpc-js";
import { ApiV2Span, stringTag } from "wire/api-v2";
import { publicNameOf, spanWriterService, streamingSpanWriterService } from "wire/grpc";
import { WriteSpanRequest, type WriteSpanResponse } from "wire/storage-v1";

const [address = "127.0.0.1:17271", spanCount = "200000", callCount = "50", admin = "127.0.0.1:17270"] =
  process.argv.slice(2);
const spans = Number(spanCount);
const client = new Client(address, credentials.createInsecure());

/** A span with ten tags, in the form in which a collector writes it, with new ids. */
function newRequest(): Buffer {
  const process = { serviceName: "bench", tags: [stringTag("hostname", "box-1"), stringTag("zone", "a")] };
  const tags = Array.from({ length: 10 }, (_, tag) => stringTag(`tag.${tag}`, `value ${tag} of a span`));
  const span = ApiV2Span.fromPartial({
    traceId: randomBytes(16),
    spanId: randomBytes(8),
    operationName: "GET /orders",
    startTime: { seconds: BigInt(Math.trunc(Date.now() / 1000)), nanos: 0 },
    duration: { seconds: 0n, nanos: 5_000_000 },
    tags,
    process,
  });
  return Buffer.from(WriteSpanRequest.encode({ span }).finish());
}

const requests = Array.from({ length: 10_000 }, newRequest);
const asIs = (bytes: Buffer) => bytes;

function pathOf({ path }: MethodDefinition<WriteSpanRequest, WriteSpanResponse>): string {
  const [, service = "", name = ""] = path.split("/");
  return `/${publicNameOf(service) ?? service}/${name}`;
}

async function writeStream(count: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const call = client.makeClientStreamRequest(
    pathOf(streamingSpanWriterService.writeSpanStream),
    asIs,
    asIs,
    new Metadata(),
    (error) => (error === null ? resolve() : reject(error)),
  );
  for (let sent = 0; sent < count; sent++) {
    const isRoom = call.write(requests[sent % requests.length] as Buffer);
    if (!isRoom) {
      await new Promise((drained) => call.once("drain", drained));
    }
  }
  call.end();
  await promise;
}

async function writeEach(count: number): Promise<void> {
  const path = pathOf(spanWriterService.writeSpan);
  let sent = 0;
  const worker = async () => {
    while (sent < count) {
      const request = requests[sent++ % requests.length] as Buffer;
      await new Promise<void>((resolve, reject) =>
        client.makeUnaryRequest(path, asIs, asIs, request, (error) =>
          error === null ? resolve() : reject(error),
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: Number(callCount) }, worker));
}

async function cpuSeconds(): Promise<number> {
  const text = await fetch(`http://${admin}/metrics`).then(
    (answer) => answer.text(),
    () => "",
  );
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}

async function measure(what: string, count: number, write: (count: number) => Promise<void>): Promise<void> {
  const cpuBefore = await cpuSeconds();
  const begin = performance.now();
  await write(count);
  const seconds = (performance.now() - begin) / 1_000;
  const cpu = (((await cpuSeconds()) - cpuBefore) / count) * 1e6;
  console.log(
    `${what.padEnd(24)} ${String(count).padStart(8)} spans  ${Math.round(count / seconds)} spans/s  ` +
      `${cpu.toFixed(1)} CPU-s/million spans in the storage`,
  );
}

await measure("streams (4)", spans, async (count) => {
  await Promise.all(Array.from({ length: 4 }, () => writeStream(count / 4)));
}).catch((error: { code?: status }) => {
  if (error.code !== status.UNIMPLEMENTED) {
    throw error;
  }
  console.log("streams are not offered");
});
await measure(`one a call (${callCount} at a time)`, Math.min(spans, 20_000), writeEach);
client.close();
