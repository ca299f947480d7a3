import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  anyPort,
  oneSpanJson,
  openReceiverFixture,
  type ReceiverFixture,
  usualTimeouts,
} from "../../test/receiver-fixture.ts";
import { openHttpThrift } from "./http-thrift.ts";
import { openOtlpHttp } from "./otlp-http.ts";
import type { Receiver } from "./receiver.ts";

let fixture: ReceiverFixture;
let receiver: Receiver | undefined;

beforeEach(async () => {
  fixture = await openReceiverFixture();
});

afterEach(async () => {
  await receiver?.stop(AbortSignal.abort());
  await fixture.close();
});

function ask(port: number, head: string, body = ""): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `${head}\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return text(socket);
}

test.each(["http://collector:4318/v1/traces", "HTTP://x//v1/traces?a=b", "https://x/v1/traces"])(
  "spans to %s are kept",
  async (target) => {
    receiver = await openOtlpHttp(anyPort, { timeouts: usualTimeouts }, fixture.context);
    expect(await ask(receiver.port, `POST ${target} HTTP/1.1`, oneSpanJson())).toMatch(/^HTTP\/1.1 200 /);
    expect(await fixture.spans()).toHaveLength(1);
  },
);

test.each(["http://x", "http://v1/traces", "ftp://x/v1/traces"])("spans to %s are 404", async (target) => {
  receiver = await openOtlpHttp(anyPort, { timeouts: usualTimeouts }, fixture.context);
  expect(await ask(receiver.port, `POST ${target} HTTP/1.1`, oneSpanJson())).toMatch(/^HTTP\/1.1 404 /);
});

test("a strategy is found by a whole URL", async () => {
  receiver = await openHttpThrift(anyPort, usualTimeouts, fixture.context);
  const answer = await ask(receiver.port, "GET http://collector:14268/api/sampling?service=shop HTTP/1.1");
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer).toContain('"maxTracesPerSecond":4');
});
