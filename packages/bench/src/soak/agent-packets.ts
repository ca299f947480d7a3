import { randomFillSync } from "node:crypto";
import { createSocket } from "node:dgram";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";

const pauseMs = 20;

/**
 * Sends packets of one span to the agent, each span with a new trace, until the signal is aborted.
 * @param nowMs current time for the spans, in milliseconds
 * @returns how many
 */
export async function sendAgentPackets(
  port: number,
  nowMs: () => number,
  signal: AbortSignal,
): Promise<number> {
  const socket = createSocket("udp4");
  const ids = Buffer.alloc(24);
  const i64 = (at: number) => ({ high: ids.readInt32BE(at), low: ids.readInt32BE(at + 4) });
  const startUs = Buffer.alloc(8);
  let sent = 0;
  while (!signal.aborted) {
    randomFillSync(ids);
    startUs.writeBigInt64BE(BigInt(Math.floor(nowMs())) * 1_000n);
    const span = {
      ...{ traceIdLow: i64(8), traceIdHigh: i64(0), spanId: i64(16), parentSpanId: { high: 0, low: 0 } },
      ...{ operationName: "work", flags: 1, duration: { high: 0, low: 1_500 }, tags: [] },
      startTime: { high: startUs.readInt32BE(0), low: startUs.readInt32BE(4) },
    };
    const batch = { process: { serviceName: "soak-agent", tags: [] }, spans: [span] };
    const packet = encodeAgentPacket(batch, "compact");
    await new Promise<void>((resolve) => socket.send(packet, port, "127.0.0.1", () => resolve()));
    sent++;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return sent;
}
