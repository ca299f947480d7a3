import { connect, createSecureContext } from "node:tls";
import type { WrkLoad, WrkResult } from "./wrk.ts";

/** At a time: enough to keep a server busy, few enough not to wait for one another. */
const parallel = 16;

/** One full handshake; the connection is closed in good order. @returns whether it came to be */
function shakeHands(url: URL, secureContext: ReturnType<typeof createSecureContext>): Promise<boolean> {
  return new Promise((resolve) => {
    let secure = false;
    const socket = connect({
      host: "127.0.0.1",
      port: Number(url.port),
      servername: url.hostname,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      secureContext,
    });
    socket.once("secureConnect", () => {
      // Only one that both sides took part in counts: a session that went on would cost next to nothing.
      secure = !socket.isSessionReused();
      socket.end();
    });
    socket.on("error", () => socket.destroy());
    socket.once("close", () => resolve(secure));
    socket.resume();
  });
}

/**
 * Opens TLS connections one after the other, without sessions to go on with, and sends nothing over them. `requests` of
 * the result are handshakes.
 */
export async function runHandshakes({ url: text, seconds }: WrkLoad): Promise<WrkResult> {
  const url = new URL(text);
  const secureContext = createSecureContext();
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1_000;
  let requests = 0;
  let failed = 0;
  const client = async () => {
    while (performance.now() < endAt) {
      if (await shakeHands(url, secureContext)) {
        requests++;
      } else {
        failed++;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, client));
  return { requests, requestsPerSecond: (requests * 1_000) / (performance.now() - startedAt), failed };
}
