import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { addressHex, dropsIn, kernelDrops } from "./kernel-drops.ts";

/** Timeout that is long enough for a busy machine. */
const patience = { timeout: 60_000 };

const isLinux = process.platform === "linux";

test.skipIf(!isLinux)("spells addresses as the system's table does", () => {
  expect(addressHex("127.0.0.1", 4)).toBe("0100007F");
  expect(addressHex("::", 6)).toBe("0".repeat(32));
  expect(addressHex("::1", 6)).toBe("00000000000000000000000001000000");
  expect(addressHex("fe80::1:2%eth0", 6)).toBe("000080FE000000000000000002000100");
  expect(addressHex("::ffff:127.0.0.1", 6)).toBe("0000000000000000FFFF00000100007F");
});

test("finds the last column of a socket's line", () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
 7921: 0100007F:BA73 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 108055 2 0000000043362091 0
 7922: 0100007F:1AAF 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 108056 2 0000000043362092 417
`;
  expect(dropsIn(table, "0100007F:1AAF")).toBe(417);
  expect(dropsIn(table, "0100007F:1AB0")).toBeUndefined();
});

test.skipIf(!isLinux)("counts what a full socket drops", async () => {
  const socket = createSocket({ type: "udp4", recvBufferSize: 4_096 }, () => {});
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  expect(kernelDrops("127.0.0.1", port)).toBe(0);
  const sender = createSocket("udp4");
  // All packets are sent before any is read, because this loop does not return to the event loop.
  const sent = Array.from(
    { length: 200 },
    () => new Promise((resolve) => sender.send(Buffer.alloc(1_000), port, "127.0.0.1", resolve)),
  );
  await Promise.all(sent);
  await expect.poll(() => kernelDrops("127.0.0.1", port), patience).toBeGreaterThan(0);
  sender.close();
  socket.close();
  await once(socket, "close");
  expect(kernelDrops("127.0.0.1", port)).toBeUndefined();
});
