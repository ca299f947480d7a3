import { Registry } from "@prometheus-io/client";
import { ask } from "server-core/testing/ask";
import { afterEach, expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import { ResponseTally } from "./response-tally.ts";

let running: RunningServer;
afterEach(() => running.close());

function config(status: number, name = "s"): unknown {
  const routes = [{ handle: [{ handler: "static_response", status_code: status }] }];
  return { apps: { http: { servers: { [name]: { listen: ["127.0.0.1:0"], routes } } } } };
}

async function counted(): Promise<string[]> {
  const { text } = await running.admin("GET", "/metrics");
  return text.split("\n").filter((line) => /^server_http_(responses_total|requests_in_flight)\{/.test(line));
}

test.each([0, 2])(
  "answers are counted by class and server, over reloads, with %d workers",
  async (workers) => {
    running = await RunningServer.start(config(204), {}, workers);
    await ask(running.site);
    await ask(running.site);
    await running.admin("POST", "/load", config(503));
    await ask(running.site);
    expect(await counted()).toEqual(
      expect.arrayContaining([
        'server_http_responses_total{server="s",class="2xx"} 2',
        'server_http_responses_total{server="s",class="5xx"} 1',
        'server_http_requests_in_flight{server="s"} 0',
      ]),
    );
  },
);

test("a server that is gone is forgotten", async () => {
  running = await RunningServer.start(config(204, "old"));
  await ask(running.site);
  await running.admin("POST", "/load", config(204, "new"));
  await expect
    .poll(counted, { timeout: 60_000 })
    .not.toContain('server_http_responses_total{server="old",class="2xx"} 1');
  expect(await counted()).toEqual(['server_http_requests_in_flight{server="new"} 0']);
});

test("what ended before an answer, and statuses outside of the classes, have a class of their own", async () => {
  running = await RunningServer.start({});
  const metrics = new Registry();
  const tally = new ResponseTally("x", metrics);
  for (const status of [0, 99, 600, 101, 599]) {
    tally.count(status);
  }
  expect(await metrics.metrics()).toContain(
    [
      'server_http_responses_total{server="x",class="none"} 3',
      'server_http_responses_total{server="x",class="1xx"} 1',
      'server_http_responses_total{server="x",class="5xx"} 1',
    ].join("\n"),
  );
});
