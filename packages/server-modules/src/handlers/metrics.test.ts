import { ask } from "server-core/testing/ask";
import { expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../admin-server/src/testing/running-server.ts";
import { prefersOpenMetrics } from "./metrics.ts";

const prometheus =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.4,*/*;q=0.1";
const names = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);

test("a site can show the server's metrics", async () => {
  const server = await RunningServer.start(siteConfig({ handle: [{ handler: "metrics" }] }));
  try {
    const answer = await ask(server.site);
    expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(names(answer.text)).toEqual(names((await server.admin("GET", "/metrics")).text));
    expect(names(answer.text)).not.toEqual([]);

    const open = await ask(server.site, { headers: { Accept: prometheus } });
    expect(open.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    const lines = open.text.split("\n");
    expect(lines.slice(-2)).toEqual(["# EOF", ""]);
    expect(lines.slice(0, -1).filter((line) => line === "" || line === "# EOF")).toEqual(["# EOF"]);
    // A counter is named without the ending that its values have.
    expect(open.text).toMatch(/^# TYPE (\w+(?<!_total)) counter\n\1_total[ {]/m);
    expect(open.text).toMatch(/^# TYPE caddy_\w+ /m);

    const off = siteConfig({ handle: [{ handler: "metrics", disable_openmetrics: true }] });
    await server.admin("POST", "/load", off);
    const text = await ask(server.site, { headers: { Accept: prometheus } });
    expect(text.headers["content-type"]).toMatch(/^text\/plain/);
  } finally {
    await server.close();
  }
});

test.each([
  ["", false],
  ["*/*", false],
  ["text/plain", false],
  [prometheus, true],
  ["application/openmetrics-text; version=0.0.1", true],
  ["application/openmetrics-text;q=0.3, text/plain;q=0.5", false],
  ["application/openmetrics-text;q=0", false],
])("Accept %j prefers OpenMetrics: %s", (accept, expected) => {
  expect(prefersOpenMetrics(accept)).toBe(expected);
});
