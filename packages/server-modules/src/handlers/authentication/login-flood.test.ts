import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { hashSync } from "bcryptjs";
import { ask } from "server-core/testing/ask";
import { expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

/** A comparison takes longer than a request, so that the queue fills, and less than a test. */
const slowHash = hashSync("right", 11);

const login = (hash_cache?: object) => ({
  match: [{ path: ["/login"] }],
  handle: [
    {
      handler: "authentication",
      providers: {
        http_basic: {
          accounts: [{ username: "bob", password: slowHash }],
          ...(hash_cache && { hash_cache }),
        },
      },
    },
    { handler: "static_response", body: "in" },
  ],
});

test("wrong logins are bounded, others are answered meanwhile, and who left costs nothing", async () => {
  const running = await RunningServer.start(siteConfig(login(), respond("open")), {}, 2);
  const clients: ClientRequest[] = [];
  const attempt = (password: string) =>
    new Promise<IncomingMessage>((resolve) => {
      const client = get(`${running.site}/login`, { auth: `bob:${password}`, agent: false }, resolve);
      client.on("error", () => {}); // connections that the test cuts
      clients.push(client);
    });
  try {
    const refusal = await Promise.race(
      Array.from({ length: 100 }, async (_, index) => {
        const response = await attempt(`wrong ${index}`);
        response.resume();
        return response.statusCode === 503 ? response : new Promise<never>(() => {});
      }),
    );
    expect(Number(refusal.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect((await ask(running.site)).text).toBe("open");
    for (const client of clients) {
      client.destroy();
    }
    // If this request waited for all the others, the test would time out.
    const headers = { Authorization: `Basic ${Buffer.from("bob:right").toString("base64")}` };
    expect((await ask(`${running.site}/login`, { headers })).text).toBe("in");
    const { text } = await running.admin("GET", "/metrics");
    const dropped = Number(/server_password_checks_total\{outcome="dropped"\} (\d+)/.exec(text)?.[1]);
    expect(dropped).toBeGreaterThan(32);
  } finally {
    await running.close();
  }
});

test("a right password is computed once for all threads", async () => {
  const running = await RunningServer.start(siteConfig(login({})), {}, 2);
  try {
    const headers = { Authorization: `Basic ${Buffer.from("bob:right").toString("base64")}` };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ask(`${running.site}/login`, { headers })),
    );
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(["in"]));
    expect((await ask(`${running.site}/login`, { headers })).text).toBe("in");
    expect((await running.admin("GET", "/metrics")).text).toContain(
      'server_password_checks_total{outcome="right"} 1\n',
    );
  } finally {
    await running.close();
  }
});
