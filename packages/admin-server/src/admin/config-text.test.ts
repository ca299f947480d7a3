import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const asText = { Accept: "text/serverfile" };
const text = `http://localhost:0 {
	@post method POST
	respond @post "not {method}" 405
	respond {path}
}
`;

test("GET /config/ gives the text that loads the same config", async () => {
  const loaded = await running.admin("POST", "/load", text, { "Content-Type": "text/serverfile" });
  expect(loaded.status).toBe(200);
  const json = await running.admin("GET", "/config/");
  for (const type of ["text/serverfile", "text/caddyfile"]) {
    const answer = await running.admin("GET", "/config/", undefined, { Accept: type });
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers).toMatchObject({
      "content-type": `${type}; charset=utf-8`,
      vary: "Accept",
      etag: json.headers.etag,
    });
  }
  expect(json.headers.vary).toBe("Accept");
});

test("what no serverfile says is refused by its path, and so is a part of the config", async () => {
  const site = respond("x") as { handle: object[] };
  expect((await running.admin("POST", "/load", siteConfig({ "@id": "a", ...site }))).status).toBe(200);
  const refused = await running.admin("GET", "/config/", undefined, asText);
  expect(refused).toMatchObject({
    status: 406,
    error: expect.stringContaining("routes/0/@id: a route has no line for it"),
  });
  const part = await running.admin("GET", "/config/apps", undefined, asText);
  expect(part).toMatchObject({ status: 406, error: expect.stringContaining("only the whole one, /config/") });
  expect((await running.admin("GET", "/id/a", undefined, asText)).status).toBe(406);
});

test("without a config there is no text", async () => {
  expect((await running.admin("DELETE", "/config/")).status).toBe(200);
  const answer = await running.admin("GET", "/config/", undefined, asText);
  expect(answer).toMatchObject({ status: 406, error: expect.stringContaining("no config is loaded") });
});

test("POST /adapt turns JSON into text", async () => {
  const config = { apps: { http: { servers: { srv0: { listen: [":80"], routes: [respond("x")] } } } } };
  const answer = await running.admin("POST", "/adapt", config, asText);
  expect(answer).toMatchObject({ status: 200, text: ":80 {\n\trespond x\n}\n" });
  const back = await running.admin("POST", "/adapt", answer.text, { "Content-Type": "text/serverfile" });
  expect(JSON.parse(back.text).result).toEqual(config);
});
