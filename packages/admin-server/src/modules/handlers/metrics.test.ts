import { expect, test } from "vitest";
import { ask } from "../../testing/ask.ts";
import { RunningServer, siteConfig } from "../../testing/running-server.ts";

test("a site can show the server's metrics", async () => {
  const server = await RunningServer.start(siteConfig({ handle: [{ handler: "metrics" }] }));
  try {
    const answer = await ask(server.site);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    const names = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names(answer.text)).toEqual(names((await server.admin("GET", "/metrics")).text));
    expect(names(answer.text)).not.toEqual([]);
  } finally {
    await server.close();
  }
});
