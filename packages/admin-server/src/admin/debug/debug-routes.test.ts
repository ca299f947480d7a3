import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

test("/debug/vars", async () => {
  const answer = await running.admin("GET", "/debug/vars");
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(JSON.parse(answer.text)).toMatchObject({
    cmdline: expect.any(Array),
    memstats: { rss: expect.any(Number), heapUsed: expect.any(Number), used_heap_size: expect.any(Number) },
    uptime_seconds: expect.any(Number),
    pid: process.pid,
  });
  expect((await running.admin("POST", "/debug/vars")).status).toBe(405);
});

describe("/debug/pprof/", () => {
  test("lists what there is", async () => {
    expect((await running.admin("GET", "/debug/pprof")).headers.location).toBe("/debug/pprof/");
    expect((await running.admin("GET", "/debug/pprof/")).text).toContain('href="profile?seconds=30"');
    expect((await running.admin("GET", "/debug/pprof/cmdline")).text).toBe(process.argv.join("\0"));
    expect((await running.admin("GET", "/debug/pprof/nope")).status).toBe(404);
  });

  test("a CPU profile", async () => {
    const answer = await running.admin("GET", "/debug/pprof/profile?seconds=0.05");
    expect(answer.headers["content-disposition"]).toContain("server.cpuprofile");
    const profile = JSON.parse(answer.text) as { nodes: unknown[]; samples: unknown[] };
    expect(profile.nodes.length).toBeGreaterThan(0);
    expect(profile.samples.length).toBeGreaterThan(0);
  });

  test("an allocation profile", async () => {
    const answer = await running.admin("GET", "/debug/pprof/allocs?seconds=0.01");
    expect(JSON.parse(answer.text)).toMatchObject({ head: { children: expect.any(Array) } });
  });

  test("a heap snapshot", async () => {
    const answer = await running.admin("GET", "/debug/pprof/heap");
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ snapshot: { meta: expect.any(Object) } });
  });

  test("one at a time; a client that leaves frees the place", async () => {
    const { host } = new URL(running.adminUrl);
    const first = httpRequest(`http://${host}/debug/pprof/profile?seconds=300`);
    first.on("error", () => {});
    first.end();
    for (;;) {
      const second = await running.admin("GET", "/debug/pprof/profile?seconds=0.001");
      if (second.status === 503) {
        expect(second.error).toBe("another profile is being taken");
        break;
      }
    }
    first.destroy();
    for (;;) {
      if ((await running.admin("GET", "/debug/pprof/profile?seconds=0.001")).status === 200) {
        break;
      }
    }
  });

  test.each(["0", "-1", "x", "301", ""])("refuses seconds=%s", async (seconds) => {
    const answer = await running.admin("GET", `/debug/pprof/profile?seconds=${seconds}`);
    expect([answer.status, answer.error]).toEqual([
      400,
      `seconds '${seconds}' is not a number over 0, at most 300`,
    ]);
  });
});
