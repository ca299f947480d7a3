import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { makeAnswering } from "http-engine/testing/make-exchange";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let upstream: UpstreamServer;
let server: RunningServer;

beforeAll(async () => {
  upstream = await UpstreamServer.start((request, response) => {
    text(request).then(
      (body) => response.end(body),
      () => response.destroy(),
    );
  });
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] };
  server = await RunningServer.start(
    siteConfig({ handle: [{ handler: "timeouts", read_timeout: "200ms", write_timeout: "20s" }, proxy] }),
  );
});

afterAll(async () => {
  await server.close();
  await upstream.kill();
});

function open(request: string) {
  const { hostname, port } = new URL(server.site);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.write(request);
  return socket;
}

test("a body that stops is answered or cut", async () => {
  const socket = open("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
  let answer = "";
  socket.on("data", (chunk: Buffer) => {
    answer += chunk.toString("latin1");
  });
  await Promise.race([once(socket, "close"), once(socket, "data")]);
  expect(answer === "" || /^HTTP\/1\.1 (?:408|502)/.test(answer)).toBe(true);
  socket.destroy();
});

function slowClient() {
  const made = makeAnswering();
  let drain = () => {};
  let cut = false;
  Object.assign(made.exchange.stream, {
    write: () => false,
    onceDrain(callback: () => void) {
      drain = callback;
    },
    destroy() {
      cut = true;
    },
  });
  return { exchange: made.exchange, drain: () => drain(), isCut: () => cut };
}

test.each([
  [{ write_timeout: "1s" }, [900], [900], false],
  [{ write_timeout: "1s" }, [1000], [], true],
  [{ write_timeout: "1s", write_min_rate: 100 }, [900], [90], false],
  [{ write_timeout: "1s", write_min_rate: 100 }, [900], [900], true],
])("%j: taking a part after %j ms and %j ms, cut %s", async (config, first, second, expected) => {
  vi.useFakeTimers();
  try {
    const handler = await provisionHandler("timeouts", config);
    const client = slowClient();
    await handler.handle(client.exchange, (exchange) => {
      exchange.writeHead(200);
      for (const ms of [...first, ...second]) {
        exchange.write(Buffer.alloc(10));
        vi.advanceTimersByTime(ms);
        client.drain();
      }
    });
    expect(client.isCut()).toBe(expected);
  } finally {
    vi.useRealTimers();
  }
});

test("a large write goes on in pieces of max_write_chunk, and the pace is that of each", async () => {
  vi.useFakeTimers();
  try {
    const handler = await provisionHandler("timeouts", { write_timeout: "1s", max_write_chunk: 10 });
    const client = slowClient();
    const written: string[] = [];
    let ended: string | undefined;
    Object.assign(client.exchange.stream, {
      write(chunk: Buffer) {
        written.push(chunk.toString());
        return false;
      },
      end(chunk?: Buffer) {
        ended = chunk?.toString();
      },
    });
    let drained = 0;
    await handler.handle(client.exchange, (exchange) => {
      exchange.writeHead(200);
      expect(exchange.write(Buffer.from("0123456789abcdefghijKLM"))).toBe(false);
      exchange.onceDrain(() => {
        drained++;
        exchange.finish("the end of it");
      });
    });
    for (const expected of [
      ["0123456789"],
      ["0123456789", "abcdefghij"],
      ["0123456789", "abcdefghij", "KLM"],
    ]) {
      expect(written).toEqual(expected);
      expect([client.isCut(), drained]).toEqual([false, 0]);
      vi.advanceTimersByTime(900);
      client.drain();
    }
    expect(drained).toBe(1);
    expect(written.at(-1)).toBe("the end of");
    client.drain();
    expect([ended, client.isCut()]).toEqual([" it", false]);
    vi.advanceTimersByTime(1_000);
    expect(client.isCut()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("a quick client notices nothing", async () => {
  const answer = await fetch(`${server.site}/`, { method: "POST", body: "quick" });
  expect(await answer.text()).toBe("quick");
});
