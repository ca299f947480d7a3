import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { sendPackets } from "./send-packets.ts";

test("sends what it says it has sent", async () => {
  let received = 0;
  const receiver = createSocket({ type: "udp4", recvBufferSize: 1_048_576 }, (message) => {
    if (message.toString() === "packet") {
      received++;
    }
  });
  receiver.bind(0, "127.0.0.1");
  await once(receiver, "listening");
  const load = { port: receiver.address().port, packet: Buffer.from("packet"), rate: 2_000, durationMs: 100 };
  const sent = await sendPackets(load, new AbortController().signal);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThanOrEqual(200);
  await expect.poll(() => received).toBe(sent);
  receiver.close();
});

test("ends when told to", async () => {
  const stop = new AbortController();
  stop.abort();
  expect(
    await sendPackets({ port: 9, packet: Buffer.alloc(1), rate: 1, durationMs: 60_000 }, stop.signal),
  ).toBe(0);
});
