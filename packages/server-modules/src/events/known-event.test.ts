import { expect, test } from "vitest";
import { KnownEvent } from "./known-event.ts";

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const event = new KnownEvent({
  name: "Cert_Obtained",
  module: "tls",
  at,
  data: { identifier: "a.example", renewal: false, sans: ["a", "b"], none: null },
});

test.each([
  [
    "{event.name} {event.module} {event.time} {event.time_unix}",
    `cert_obtained tls 2026-01-02T03:04:05.678Z ${at}`,
  ],
  ["{event.id}", event.id],
  [
    "{event.data.identifier}|{event.data.renewal}|{event.data.sans}|{event.data.none}",
    'a.example|false|["a","b"]|',
  ],
  ["{event.data}", '{"identifier":"a.example","renewal":false,"sans":["a","b"],"none":null}'],
  ["{event}", JSON.stringify(event.cloudEvent())],
  ["{system.slash}", "/"],
  ["{event.data.nope} {event.nope} {nope} {}", "{event.data.nope} {event.nope} {nope} {}"],
  ["{event.data.constructor}", "{event.data.constructor}"],
  ["\\{event.name\\}", "{event.name}"],
])("%s", (text, filled) => {
  expect(event.fill(text)).toBe(filled);
});

test("a CloudEvent", () => {
  expect(event.cloudEvent()).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    source: "tls",
    specversion: "1.0",
    type: "cert_obtained",
    time: "2026-01-02T03:04:05.678Z",
    datacontenttype: "application/json",
    data: { identifier: "a.example", renewal: false, sans: ["a", "b"], none: null },
  });
  expect(new KnownEvent({ name: "started", module: "", at, data: {} }).cloudEvent().source).toBe("server");
});
