import { expect, test } from "vitest";
import { collect, SimulatedNetwork } from "../../testing/simulated-network.ts";

/** A download of 120,000 bytes, whose client gets another address after a third. */
function download(address: string, port: number, lost: readonly number[]) {
  let moved = false;
  /** Datagrams that the server sent to the new address. */
  let sent = 0;
  const network: SimulatedNetwork = new SimulatedNetwork({
    loses: (_, fromServer) => moved && fromServer && lost.includes(sent++),
  });
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  network.onServerStream = (stream) => {
    collect(stream);
    stream.write(Buffer.alloc(120_000));
    stream.end();
  };
  const stream = network.client.connection.openStream("bidi");
  if (stream === undefined) {
    throw new Error("no stream");
  }
  const received = collect(stream);
  stream.write(Buffer.from("GET"));
  stream.end();
  const bytes = () => received.bytes.reduce((sum, each) => sum + each.length, 0);
  network.run(() => bytes() > 40_000);
  const begin = network.now;
  network.clientAddress = { address, port };
  moved = true;
  network.run(() => received.ended, 60_000);
  return { ms: network.now - begin, server: network.server.address };
}

const losses = [[], [0], [1], [0, 1], [0, 1, 2], [2], [3], [0, 2, 4, 6], [1, 2, 3, 4]];

test.each([
  ["another port (NAT rebinding)", "192.0.2.1"],
  ["another address", "192.0.2.7"],
])("a client that gets %s while it only receives goes on, whichever datagrams are lost", (_, address) => {
  for (const lost of losses) {
    const { ms, server } = download(address, 6_000, lost);
    expect(server).toEqual({ address, port: 6_000 });
    // In the time of the simulation. Without a second challenge the connection ended after 30 seconds.
    expect(ms).toBeLessThan(1_000);
  }
});
