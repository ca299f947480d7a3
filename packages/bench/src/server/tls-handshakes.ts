import { connect, createSecureContext } from "node:tls";
import type { WrkLoad, WrkResult } from "./wrk.ts";

/** Number of concurrent handshakes: enough to keep a server busy, few enough that they do not wait for each other. */
const parallel = 16;

/** One full handshake, followed by a normal close. @returns true when the handshake succeeded */
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
      // Only a full handshake counts, because a resumed session costs almost nothing.
      secure = !socket.isSessionReused();
      socket.end();
    });
    socket.on("error", () => socket.destroy());
    socket.once("close", () => resolve(secure));
    socket.resume();
  });
}

/**
 * Opens TLS connections one after the other, without session resumption, and sends nothing over them. `requests` of the
 * result are handshakes.
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
