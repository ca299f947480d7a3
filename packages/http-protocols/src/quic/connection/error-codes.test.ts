import { expect, test } from "vitest";
import { connectedServer, sealedPacket, serverPeer } from "../../testing/connected-server.ts";
import type { CloseReason } from "./connection-options.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

/** Sends each payload in a packet. @returns the reason for the end of the connection; undefined while it is open */
function closeAfter(payloads: readonly string[], bits = 0): CloseReason | undefined {
  let closed: CloseReason | undefined;
  const connection = connectedServer(() => ({
    onConnected: () => {},
    onStream: () => {},
    onStreamClosed: () => {},
    onClosed: (reason) => {
      closed = reason;
    },
  }));
  for (const [number, payload] of payloads.entries()) {
    connection.receive(sealedPacket(hex(payload), number, bits), serverPeer, 1);
  }
  return closed;
}

// The transport's list of h3spec, as far as it concerns 1-RTT packets.
test.each<[string, readonly string[], number]>([
  ["bytes of a stream beyond the limit", ["0e 00 8fffffff 01 61"], 0x03],
  [
    "bytes of all streams beyond the limit",
    ["0e 00 8003ffff 01 61", "0e 02 8003ffff 01 61"].concat([
      "0e 04 8003ffff 01 61",
      "0e 06 8003ffff 01 61",
      "0e 08 8003ffff 01 61",
    ]),
    0x03,
  ],
  ["a stream beyond the number", ["0a 4190 01 61"], 0x04],
  ["bytes of a stream on which only the server sends", ["0a 03 01 61"], 0x05],
  ["RESET_STREAM of such a stream", ["04 03 00 00"], 0x05],
  ["STREAM_DATA_BLOCKED of such a stream", ["15 03 05"], 0x05],
  ["STOP_SENDING of a stream on which only the client sends", ["05 02 00"], 0x05],
  ["MAX_STREAM_DATA of such a stream", ["11 02 05"], 0x05],
  ["STOP_SENDING of a stream that the server did not open", ["05 01 00"], 0x05],
  ["MAX_STREAM_DATA of such a stream", ["11 01 05"], 0x05],
  ["bytes behind the end of a stream", ["0b 00 01 61", "0e 00 05 01 61"], 0x06],
  ["an end that moves", ["0f 00 05 01 61", "0f 00 01 01 61"], 0x06],
  ["a reset with another size", ["0b 00 01 61", "04 00 00 05"], 0x06],
  ["a frame of an unknown type", ["4030"], 0x07],
  ["MAX_STREAMS over 2^60", ["12 d000000000000001"], 0x07],
  ["STREAMS_BLOCKED over 2^60", ["16 d000000000000001"], 0x07],
  ["an ID that retires later ones", [`18 01 02 08 eeeeeeeeeeeeeeee ${"11".repeat(16)}`], 0x07],
  ["an ID without bytes", [`18 01 00 00 ${"11".repeat(16)}`], 0x07],
  [
    "more IDs than are allowed",
    [1, 2, 3, 4].map((id) => `18 0${id} 00 08 eeeeeeeeeeeeee0${id} ${"11".repeat(16)}`),
    0x09,
  ],
  ["an ID that is retired and was never given", ["19 3f"], 0x0a],
  [
    "an ID that changes",
    ["ee", "ef"].map((byte) => `18 01 00 08 ${byte.repeat(8)} ${"11".repeat(16)}`),
    0x0a,
  ],
  ["NEW_TOKEN of a client", ["07 01 ff"], 0x0a],
  ["HANDSHAKE_DONE of a client", ["1e"], 0x0a],
  ["an acknowledgment of a packet that was never sent", ["02 3f 00 00 00"], 0x0a],
])("ends the connection for %s", (_, payloads, code) => {
  expect(closeAfter(payloads)).toMatchObject({ by: "us", code, application: false });
});

test.each([0x08, 0x10])("ends the connection for the reserved bit 0x%x of a packet", (bit) => {
  expect(closeAfter(["01"], bit)).toMatchObject({ by: "us", code: 0x0a });
  expect(closeAfter(["01"])).toBeUndefined();
});
