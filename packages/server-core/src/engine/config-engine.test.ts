import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../../admin-server/src/testing/running-server.ts";
import { ask } from "../testing/ask.ts";

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

test("a stop gives up the change that is prepared, and those that wait for it", async () => {
  const stopped = await RunningServer.start();
  const { engine } = stopped.server;
  const endless = join(stopped.configFolder, "endless.mjs");
  await writeFile(endless, "await new Promise(() => {});");
  const loads = [1, 2].map(() => engine.load(Buffer.from(JSON.stringify({ modules: [endless] }))));
  const refused = Promise.all(
    loads.map((load) => expect(load).rejects.toMatchObject({ code: "CONFIG_BUSY" })),
  );
  await stopped.close();
  await refused;
});

test("a change that comes while the server stops is refused before the stop ends", async () => {
  const stopped = await RunningServer.start();
  const { engine } = stopped.server;
  const stopping = engine.stop().then(() => "stopped");
  const refused = engine.load(Buffer.from("{}")).catch(({ code, message }) => `${code}: ${message}`);
  expect(await Promise.race([stopping, refused])).toBe("CONFIG_BUSY: the server is stopping");
  await stopped.close();
});
