import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../../testing/ask.ts";
import { RunningServer, respond, siteConfig } from "../../testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(siteConfig(respond("old")));
});
afterAll(() => running.close());

test("a dry run says what a load would, and changes nothing", async () => {
  const { engine } = running.server;
  const changes: unknown[] = [];
  engine.onChange((change) => void changes.push(change));
  await engine.validate({ apps: { http: { servers: { s: { listen: [":1"] } } } } });
  await expect(
    engine.validate({ apps: { http: { servers: { s: { routes: [{ handle: [{ handler: "nope" }] }] } } } } }),
  ).rejects.toThrow(
    "loading new config: loading http app module: provision http: server s: setting up route",
  );
  await expect(engine.validate({ admin: { listen: ":1-2" } })).rejects.toThrow("exactly one address");
  await expect(engine.validate({ apps: { a: { "@id": "x", b: { "@id": "x" } } } })).rejects.toThrow(
    "duplicate ID 'x'",
  );
  expect((await ask(running.site)).text).toBe("old");
  expect(running.sites).toHaveLength(1);
  expect(changes).toEqual([]);
});
