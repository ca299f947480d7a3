import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const named = {
  header: { "X-Name": ["{http.regexp.it.1}"] },
  path_regexp: { name: "it", pattern: "^/of/(.*)" },
};

test.each([
  ["a set", [named], "yes", "no"],
  ["a set within `not`", [{ not: [named] }], "no", "yes"],
])("%s may name what a later matcher of it captures", async (_, match, same, other) => {
  const config = siteConfig({ match, handle: [{ handler: "static_response", body: "yes" }] }, respond("no"));
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
  const answers = ["a", "b"].map((name) =>
    ask(running.site, { target: "/of/a", headers: { "X-Name": name } }),
  );
  expect((await Promise.all(answers)).map(({ text }) => text)).toEqual([same, other]);
});
