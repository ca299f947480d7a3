import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../admin-server/src/testing/serverfile.ts";

/** A request that a server got. */
interface Got {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server that answers all requests alike. */
class Recorder {
  readonly #server: Server;
  readonly got: Got[] = [];
  answer: { readonly status: number; readonly body?: string } = { status: 200 };
  isSilent = false;

  constructor() {
    this.#server = createServer(async (incoming, response) => {
      const { method = "", headers } = incoming;
      this.got.push({ method, headers, body: await text(incoming) });
      if (!this.isSilent) {
        response.writeHead(this.answer.status).end(this.answer.body ?? "");
      }
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const upstream = new Recorder();
beforeAll(() => upstream.listen());
afterAll(() => upstream.close());

let component: Recorder;
const running: RunningServer[] = [];
beforeEach(async () => {
  upstream.got.length = 0;
  component = new Recorder();
  await component.listen();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  component.close();
});

async function start(more: object = {}): Promise<RunningServer> {
  const server = await RunningServer.start({
    apps: {
      crowdsec: {
        api_url: "http://127.0.0.1:1/",
        api_key: "key",
        appsec_url: `http://${component.address}/`,
        ...more,
      },
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            protocols: ["h1", "h2c"],
            routes: [
              {
                handle: [
                  { handler: "appsec" },
                  { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] },
                ],
              },
            ],
          },
        },
      },
    },
  });
  running.push(server);
  return server;
}

test("the component gets the request, without fields that a client made up", async () => {
  const server = await start();
  await ask(`${server.site}/a?b=c`, {
    headers: {
      "X-Own": "1",
      "User-Agent": "curl",
      "X-Crowdsec-Appsec-Ip": "192.0.2.1",
      Host: "shop.example",
    },
  });
  expect(component.got).toMatchObject([
    {
      method: "GET",
      body: "",
      headers: {
        "x-own": "1",
        "x-crowdsec-appsec-ip": "127.0.0.1",
        "x-crowdsec-appsec-uri": "/a?b=c",
        "x-crowdsec-appsec-host": "shop.example",
        "x-crowdsec-appsec-verb": "GET",
        "x-crowdsec-appsec-api-key": "key",
        "x-crowdsec-appsec-user-agent": "curl",
        "user-agent": expect.stringMatching(/^server-cs-bouncer\//),
      },
    },
  ]);
  expect(upstream.got).toHaveLength(1);
});

describe("a body", () => {
  async function send(
    server: RunningServer,
    pieces: readonly string[],
    headers: Record<string, string> = {},
  ) {
    const sending = request(`${server.site}/`, { method: "PUT", headers });
    const answer = once(sending, "response") as Promise<[IncomingMessage]>;
    for (const piece of pieces) {
      await new Promise((resolve) => sending.write(piece, resolve));
    }
    sending.end();
    const [response] = await answer;
    response.resume();
    return response.statusCode;
  }

  test.each([
    ["a short one", ["a=1", "&b=2"], {}],
    ["a short one with its length", ["a=1&b=2"], { "Content-Length": "7" }],
    ["one as long as the limit", ["x".repeat(100_000)], {}],
    ["a long one", ["x".repeat(400_000), "y".repeat(400_000), "z".repeat(700_000)], {}],
    ["a long one with its length", ["x".repeat(1_500_000)], { "Content-Length": "1500000" }],
  ])(
    "%s goes to the component as far as the limit, and whole to the upstream",
    async (_, pieces, headers) => {
      const server = await start({ appsec_max_body_bytes: 100_000 });
      expect(await send(server, pieces, headers as Record<string, string>)).toBe(200);
      const whole = pieces.join("");
      expect(component.got.map(({ method, body }) => [method, body.length, whole.startsWith(body)])).toEqual([
        ["POST", Math.min(whole.length, 100_000), true],
      ]);
      expect(upstream.got.map(({ body }) => body === whole)).toEqual([true]);
    },
  );
});

describe("a client that sends only after it has an answer", () => {
  async function answerOver2(headers: Record<string, string>, isTunnel: boolean) {
    const server = await start();
    const client = connect(server.site);
    try {
      if (isTunnel) {
        await once(client, "remoteSettings");
      }
      const stream = client.request({ ":authority": "shop.example", ":path": "/", ...headers });
      const [head] = (await once(stream, "response")) as [Record<string, unknown>];
      stream.close();
      return head[":status"];
    } finally {
      client.destroy();
    }
  }

  test("over HTTP/2: a WebSocket, and a stream of gRPC", async () => {
    const tunnel = { ":method": "CONNECT", ":protocol": "websocket", ":scheme": "http" };
    expect(await answerOver2(tunnel, true)).not.toBe(500);
    component.answer = { status: 403, body: '{"action":"ban"}' };
    const call = { ":method": "POST", "content-type": "application/grpc+proto", te: "trailers" };
    expect(await answerOver2(call, false)).toBe(403);
    expect(component.got.map(({ headers }) => headers["x-crowdsec-appsec-verb"])).toEqual(["GET", "POST"]);
  });

  test("with Expect: 100-continue", async () => {
    const server = await start();
    const sending = request(`${server.site}/`, {
      method: "PUT",
      headers: { Expect: "100-continue", "Content-Length": "5" },
    });
    sending.flushHeaders();
    await once(sending, "continue");
    const answer = once(sending, "response") as Promise<[IncomingMessage]>;
    sending.end("hello");
    const [response] = await answer;
    response.resume();
    expect([response.statusCode, component.got[0]?.body, upstream.got[0]?.body]).toEqual([
      200,
      "hello",
      "hello",
    ]);
  });
});

test.each([
  [{ action: "ban", http_status: 403 }, 403, 0],
  [{ action: "ban", http_status: 418 }, 418, 0],
  [{ action: "captcha" }, 403, 0],
  [{ action: "own", http_status: 99 }, 403, 0],
  [{ action: "throttle" }, 429, 0],
  [{ action: "allow" }, 200, 1],
  [{ action: "log" }, 200, 1],
])("the verdict %j gives %d", async (verdict, status, passed) => {
  const server = await start();
  component.answer = { status: 403, body: JSON.stringify(verdict) };
  expect((await ask(server.site)).status).toBe(status);
  expect(upstream.got).toHaveLength(passed);
});

describe("a component that does not check", () => {
  test.each([
    [401, {}, 500],
    [500, {}, 500],
    [500, { appsec_fail_open: true }, 200],
    [404, {}, 200],
  ])("its answer %d with %j gives %d", async (answer, more, status) => {
    const server = await start(more);
    component.answer = { status: answer };
    expect((await ask(server.site)).status).toBe(status);
  });

  test.each([
    [{}, 500],
    [{ appsec_fail_open: true }, 200],
  ])("its silence with %j gives %d", async (more, status) => {
    const server = await start({ appsec_timeout: "50ms", ...more });
    component.isSilent = true;
    expect((await ask(server.site)).status).toBe(status);
  });
});

test("without appsec_url every request passes", async () => {
  const server = await start({ appsec_url: "" });
  expect((await ask(server.site)).status).toBe(200);
  expect(component.got).toEqual([]);
});

test("text there and back, with the place of the plug-in's examples", async () => {
  const serverfile = `{
	order appsec after crowdsec
	crowdsec {
		api_key k
		appsec_url http://localhost:7422
		appsec_max_body_bytes 1000
		appsec_timeout 1s
		appsec_fail_open
	}
}

:80 {
	appsec
	crowdsec
	respond in
}
`;
  const { result } = adaptServerfile(Buffer.from(serverfile), {});
  expect(JSON.stringify(result)).toContain('[{"handler":"crowdsec"},{"handler":"appsec"},');
  expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
});
