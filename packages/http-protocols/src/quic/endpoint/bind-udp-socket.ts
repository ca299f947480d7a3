import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";

/** Asked of the system; it may give less. A burst of datagrams waits there while the process works. */
const socketBufferBytes = 2 * 1_048_576;
/** Asked of the system where it allows more: the first datagrams of some 3,000 clients. */
const largeReceiveBufferBytes = 7 * 1_048_576;

/**
 * Opens a socket for datagrams.
 * @param port 0: the system chooses one
 * @param reusePort more sockets may have the same port: the system spreads clients over them
 * @throws what the system says
 */
export async function bindUdpSocket(address: string, port: number, reusePort = false): Promise<Socket> {
  const family = isIPv6(address) ? 6 : 4;
  const socket = createSocket({
    type: `udp${family}`,
    reusePort,
    // Peers are addresses, never names. Without a look-up, what is sent before `close` leaves at once.
    lookup: (host, _, answer) => answer(null, host, family),
    recvBufferSize: socketBufferBytes,
    sendBufferSize: socketBufferBytes,
  });
  // Without a look-up, both events may come from within `bind`.
  const listening = once(socket, "listening");
  socket.bind(port, address);
  try {
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  try {
    socket.setRecvBufferSize(largeReceiveBufferBytes);
  } catch {
    // Some systems refuse what is over their limit, where Linux gives what it has.
  }
  return socket;
}
