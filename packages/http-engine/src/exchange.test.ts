import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { makeAnswering } from "./testing/make-exchange.ts";

test("a client that leaves while an upstream is asked has a status of its own", () => {
  const seen: number[] = [];
  const left = (isProxied: boolean) => {
    const { exchange } = makeAnswering({ server: { exchangeEnded: ({ status }) => void seen.push(status) } });
    exchange.proxied = isProxied ? { placeholder: () => undefined } : undefined;
    exchange.streamClosed();
  };
  left(true);
  left(false);
  expect(seen).toEqual([499, 0]);
});

test("a stream that is sent whole is no loss of the client, though its end ends the exchange", async () => {
  const { exchange, body } = makeAnswering();
  const { stream } = exchange;
  const end = stream.end.bind(stream);
  stream.end = (chunk) => {
    end(chunk);
    exchange.streamClosed();
  };
  exchange.writeHead(200);
  await exchange.sendStream(Readable.from([Buffer.from("whole")], { objectMode: false }));
  expect(body().toString()).toBe("whole");
});

test("a client that leaves within a stream is one that is gone", async () => {
  const { exchange } = makeAnswering();
  exchange.writeHead(200);
  const source = new Readable({ read() {} });
  const sent = exchange.sendStream(source);
  exchange.streamClosed();
  await expect(sent).rejects.toMatchObject({ code: "CLIENT_GONE" });
  expect(source.destroyed).toBe(true);
});
