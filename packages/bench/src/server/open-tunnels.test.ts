import { expect, test } from "vitest";
import { echoThrough, openTunnels, startEchoUpstream } from "./open-tunnels.ts";

test("opens as many as asked for, and each gives back what it got", async () => {
  const upstream = await startEchoUpstream();
  const port = Number(upstream.address.split(":").at(-1));
  const tunnels = await openTunnels(port, 120, new AbortController().signal);
  expect(tunnels).toHaveLength(120);
  await Promise.all(tunnels.map((tunnel) => echoThrough(tunnel)));
  for (const tunnel of tunnels) tunnel.destroy();
  upstream.close();
});
