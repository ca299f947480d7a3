import type { AgentBatch } from "../agent/agent-batch.ts";
import { Batch } from "../gen/tracing/api_v2/model.ts";

/** For tests: the bytes of a batch in the form that a collector reads. */
export function batchOfAgent({ process, spans }: AgentBatch): Batch {
  const length: number[] = [];
  let rest = process.length;
  for (; rest >= 0x80; rest >>>= 7) {
    length.push((rest & 0x7f) | 0x80);
  }
  return Batch.decode(Buffer.concat([spans, Buffer.from([0x12, ...length, rest]), process]));
}
