import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";

/** Buffer size to request; the system may give less. Datagrams of a burst wait in the buffer while the process works. */
const socketBufferBytes = 2 * 1_048_576;
/** Size to request if the system allows more: it holds the first datagrams of about 3,000 clients. */
const largeReceiveBufferBytes = 7 * 1_048_576;

/**
 * Opens a socket for datagrams.
 * @param port 0: the system chooses one
 * @param reusePort true: further sockets may use the same port, and the system distributes clients among them
 * @throws the system's error
 */
export async function bindUdpSocket(address: string, port: number, reusePort = false): Promise<Socket> {
  const family = isIPv6(address) ? 6 : 4;
  const socket = createSocket({
    type: `udp${family}`,
    reusePort,
    // Peers are addresses, never names. Without a look-up, data sent before `close` leaves immediately.
    lookup: (host, _, answer) => answer(null, host, family),
    recvBufferSize: socketBufferBytes,
    sendBufferSize: socketBufferBytes,
  });
  // Without a look-up, both events may be emitted within `bind`.
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
    // Some systems refuse sizes above their limit; Linux uses its limit instead. A refusal is ignored.
  }
  return socket;
}
