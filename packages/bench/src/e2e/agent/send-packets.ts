import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

/** Sockets send packets in turn, so that no single send queue limits the rate. */
const socketCount = 4;
/** Maximum number of packets that are sent without a pause; then the event loop continues. */
const burst = 128;

export interface PacketLoad {
  readonly port: number;
  readonly packet: Buffer;
  /** Packets per second. */
  readonly rate: number;
  readonly durationMs: number;
}

/**
 * Sends the same UDP packet to this machine at an even rate.
 * @returns number of packets that the system accepted
 */
export async function sendPackets(
  { port, packet, rate, durationMs }: PacketLoad,
  signal: AbortSignal,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: socketCount }, () => connected(port)));
  let [sent, failed] = [0, 0];
  const onSent = (error: Error | null) => {
    if (error !== null) {
      failed++;
    }
  };
  const startedAt = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs >= durationMs || signal.aborted) {
      break;
    }
    const due = Math.min(Math.floor((elapsedMs * rate) / 1000) - sent, burst);
    for (let index = 0; index < due; index++) {
      sockets[sent++ % socketCount]?.send(packet, onSent);
    }
    // Waits until the queues of all sockets are empty.
    await new Promise<void>((resolve) => (due > burst / 2 ? setImmediate(resolve) : setTimeout(resolve, 1)));
  }
  while (sockets.some((socket) => socket.getSendQueueCount() > 0)) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (const socket of sockets) {
    socket.close();
  }
  return sent - failed;
}

async function connected(port: number): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}
