/**
 * `thrift-read/*`: spans per CPU-second from client packets to `api_v2` protobuf, as in the agent, and from Thrift over
 * HTTP to rows. Run: `node packages/bench/src/micro/thrift-read.ts [seconds]`; one process, nothing else is measured.
 */

import { AgentPacketReader } from "wire/agent";
import { encodeAgentPacket, encodeThriftBatch } from "wire/testing/encode-agent-packet";
import { ThriftBatchTranscoder } from "wire/thrift";
import { spansPerCpuSecond } from "./spans-per-cpu-second.ts";
import { thriftBatch } from "./thrift-spans.ts";

const seconds = Number(process.argv[2] ?? 3);

function print(name: string, bytes: number, spanCount: number, work: () => unknown): void {
  const rate = spansPerCpuSecond(work, spanCount, seconds);
  console.log(`${name}, ${bytes / spanCount} bytes/span: ${rate.toLocaleString("en")} spans per CPU-second`);
}

for (const protocol of ["compact", "binary"] as const) {
  for (const spanCount of [1, 100]) {
    const packet = encodeAgentPacket(thriftBatch(spanCount), protocol);
    const reader = new AgentPacketReader(protocol);
    print(`${protocol} packets of ${spanCount}`, packet.length, spanCount, () => reader.read(packet));
  }
}

const message = encodeThriftBatch(thriftBatch(100), "binary");
const transcoder = new ThriftBatchTranscoder();
print("binary to rows, 100", message.length, 100, () => transcoder.transcode(message));
