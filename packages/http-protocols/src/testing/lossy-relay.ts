import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

async function open(): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

export interface Relay {
  readonly port: number;
  /** Datagrams that were dropped. */
  dropped: number;
  close(): void;
}

/** Passes datagrams of one client to a server and back, and drops those for which `drops` returns true. */
export async function startLossyRelay(serverPort: number, drops: () => boolean): Promise<Relay> {
  const [front, back] = await Promise.all([open(), open()]);
  let clientPort = 0;
  const relay: Relay = {
    port: front.address().port,
    dropped: 0,
    close: () => {
      front.close();
      back.close();
    },
  };
  const pass = (through: Socket, datagram: Buffer, port: number) => {
    if (drops()) {
      relay.dropped++;
    } else {
      through.send(datagram, port, "127.0.0.1");
    }
  };
  front.on("message", (datagram, { port }) => {
    clientPort = port;
    pass(back, datagram, serverPort);
  });
  back.on("message", (datagram) => pass(front, datagram, clientPort));
  return relay;
}
