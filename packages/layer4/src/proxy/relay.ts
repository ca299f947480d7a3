import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pump } from "server-modules/handlers/reverse-proxy/tunnel/pump";

/** Maximum number of bytes that wait for a slow side, in each direction. */
const maxWaitingBytes = 64 * 1024;

/**
 * Joins a client with one or more upstreams. Each upstream gets all bytes of the client, and the slowest sets the pace.
 * When one side ends, the other side is ended too, and may still write.
 * @returns promise that settles when both directions have ended
 */
export function relay(client: Duplex, upstreams: readonly Socket[]): Promise<void> {
  return new Promise((resolve) => {
    const open = new Set<Duplex>([client, ...upstreams].filter((stream) => !stream.closed));
    const cut = () => {
      for (const stream of open) {
        stream.destroy();
      }
    };
    for (const stream of [...open]) {
      // An end without FIN closes the other side too: the data must not look complete.
      stream.once("error", cut);
      stream.once("close", () => {
        open.delete(stream);
        if (stream === client || open.size === 1) {
          finish(client, upstreams);
        }
        if (open.size === 0) {
          resolve();
        }
      });
    }
    const [only] = upstreams;
    if (upstreams.length === 1 && only !== undefined) {
      pump(client, only, maxWaitingBytes);
      pump(only, client, maxWaitingBytes);
    } else {
      spread(client, upstreams);
    }
    // A side that closed before the join emits no more events.
    if (open.size <= upstreams.length || client.destroyed) {
      cut();
    }
    if (open.size === 0) {
      resolve();
    }
    if (client.readableEnded) {
      for (const upstream of upstreams) {
        upstream.end();
      }
    }
  });
}

/** One side closed: its sent data is still delivered, then all sides are closed. */
function finish(client: Duplex, upstreams: readonly Socket[]): void {
  for (const stream of [client, ...upstreams]) {
    if (!stream.destroyed) {
      stream.end(() => stream.destroy());
    }
  }
}

/**
 * Joins one client with several upstreams. Each gets all bytes of the client, and the client gets all their output in
 * order of arrival.
 */
function spread(client: Duplex, upstreams: readonly Socket[]): void {
  let left = upstreams.length;
  for (const upstream of upstreams) {
    upstream.on("data", (chunk: Buffer) => {
      if (!client.write(chunk)) {
        upstream.pause();
        client.once("drain", () => upstream.resume());
      }
    });
    upstream.once("end", () => {
      left--;
      if (left === 0) {
        client.end();
      }
    });
  }
  client.on("data", (chunk: Buffer) => {
    const slow = upstreams.filter((upstream) => !upstream.destroyed && !upstream.write(chunk));
    let waiting = slow.length;
    if (waiting > 0) {
      client.pause();
    }
    for (const upstream of slow) {
      const go = () => {
        upstream.off("drain", go);
        upstream.off("close", go);
        waiting--;
        if (waiting === 0) {
          client.resume();
        }
      };
      upstream.on("drain", go);
      upstream.on("close", go);
    }
  });
  client.once("end", () => {
    for (const upstream of upstreams) {
      upstream.end();
    }
  });
  client.resume(); // it was paused for matchers
}
