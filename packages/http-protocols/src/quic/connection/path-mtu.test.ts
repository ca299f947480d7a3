import { expect, test } from "vitest";
import { collect, SimulatedNetwork } from "../../testing/simulated-network.ts";

/** Makes the server send `bytes` bytes on a stream of the client. @returns the number of bytes that arrived */
function download(network: SimulatedNetwork, bytes: number): { arrived(): number } {
  network.run(() => network.client.protocol !== "");
  network.onServerStream = (stream) => {
    collect(stream);
    stream.write(Buffer.alloc(bytes, 1));
    stream.end();
  };
  const stream = network.client.connection.openStream("bidi")!;
  const record = collect(stream);
  stream.end();
  return { arrived: () => record.bytes.reduce((sum, piece) => sum + piece.length, 0) };
}

test.for([
  [1_500, 1_452],
  [1_400, 1_372],
  [1_232, 1_232],
])("finds that a path of %i bytes carries datagrams of %i", ([carries, expected]) => {
  let largest = 0;
  const network = new SimulatedNetwork({
    loses: ({ length }, fromServer) => {
      const lost = length > (carries as number);
      largest = fromServer && !lost ? Math.max(largest, length) : largest;
      return lost;
    },
  });
  const { arrived } = download(network, 400_000);
  network.run(() => arrived() === 400_000);
  expect(largest).toBe(expected);
});

test("goes back to small datagrams on a path that carries large ones no more", () => {
  let carries = 1_500;
  const network = new SimulatedNetwork({ loses: ({ length }) => length > carries });
  const { arrived } = download(network, 1_000_000);
  network.run(() => arrived() > 200_000);
  carries = 1_300;
  network.run(() => arrived() === 1_000_000, 60_000);
  expect(network.serverClosed).toEqual([]);
});
