import { Client } from "undici";
import { median } from "./measure-server.ts";

const requests = 2_000;
const warmUp = 500;

async function medianMs(origin: string, signal: AbortSignal): Promise<number> {
  const client = new Client(origin);
  const taken: number[] = [];
  try {
    for (let index = 0; index < requests + warmUp; index++) {
      const startedAt = performance.now();
      const { body } = await client.request({ method: "GET", path: "/", signal });
      await body.dump();
      if (index >= warmUp) {
        taken.push(performance.now() - startedAt);
      }
    }
  } finally {
    await client.close();
  }
  return median(taken);
}

/**
 * Milliseconds that a proxy adds to the median time of a request, one request at a time. @param upstream port of the
 * server behind the proxy
 */
export async function addedLatencyMs(proxy: number, upstream: number, signal: AbortSignal): Promise<number> {
  const direct = await medianMs(`http://127.0.0.1:${upstream}`, signal);
  return (await medianMs(`http://127.0.0.1:${proxy}`, signal)) - direct;
}
