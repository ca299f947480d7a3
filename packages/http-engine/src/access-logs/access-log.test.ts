import { makeJsonEncoder } from "server-core/logging/encoders/json";
import { levelRank } from "server-core/logging/log-entry";
import { LogOwner } from "server-core/logging/log-owner";
import { LogSet } from "server-core/logging/logging";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../admin-server/src/testing/provision-module.ts";
import type { Exchange } from "../exchange.ts";
import type { HttpHandler } from "../handler.ts";
import { HttpError } from "../http-error.ts";
import { setPlaceholder } from "../placeholders.ts";
import { type MadeRequest, makeAnswering } from "../testing/make-exchange.ts";
import { type AccessLogConfig, accessLogSchema } from "./access-config.ts";
import { compileAccessLog } from "./access-log.ts";

function logged(
  config: unknown,
  made: MadeRequest = {},
  change: (exchange: Exchange) => void = () => {},
): Record<string, unknown>[] {
  const lines: string[] = [];
  const set = new LogSet([
    {
      isConfigured: true,
      owner: new LogOwner("test"),
      isDefault: false,
      level: "info",
      callerSkip: undefined,
      stackRank: Number.POSITIVE_INFINITY,
      rank: levelRank("info"),
      include: [],
      exclude: [],
      passes: undefined,
      encoder: makeJsonEncoder({}),
      writer: { write: (line) => void lines.push(line) },
    },
  ]);
  const write = compileAccessLog(accessLogSchema.parse(config) as AccessLogConfig, set);
  const { exchange } = makeAnswering(made);
  change(exchange);
  if (!exchange.answered) {
    exchange.responseHeaders.push("Set-Cookie", "s=1", "X-A", "1", "X-A", "2");
    exchange.respond(200, "hello");
  }
  write(exchange);
  return lines.map((line) => JSON.parse(line));
}

test("a line says who asked for what and what came of it", () => {
  const [line] = logged(
    {},
    {
      method: "PUT",
      target: "/a?b",
      headers: ["authorization", "Basic x", "Cookie", "c", "X-Y", "z"],
      body: "12345",
      server: { clientAddress: () => "203.0.113.9" },
    },
    (exchange) => {
      setPlaceholder(exchange, "http.auth.user.id", "anna");
      exchange.tunnelBytesRead = 7;
      exchange.rewrite({ rawPath: "/other", method: "GET" });
    },
  );
  expect(line).toMatchObject({
    level: "info",
    logger: "http.log.access",
    msg: "handled request",
    request: {
      remote_ip: "192.0.2.1",
      remote_port: "4321",
      client_ip: "203.0.113.9",
      proto: "HTTP/1.1",
      method: "PUT",
      host: "example.com",
      uri: "/a?b",
      headers: { Authorization: ["REDACTED"], Cookie: ["REDACTED"], "X-Y": ["z"] },
    },
    bytes_read: 7,
    user_id: "anna",
    size: 5,
    status: 200,
    resp_headers: { Server: ["server"], "Set-Cookie": ["REDACTED"], "X-A": ["1", "2"] },
  });
  expect(typeof line?.duration).toBe("number");
});

test("the target stands as upstreams get it, and codings of the transfer beside the fields", () => {
  const [line] = logged(
    {},
    {
      target: "http://example.com/\xc3\xbc#?q",
      headers: ["Transfer-Encoding", "chunked", "X-A", "\xc3\xa4"],
    },
  );
  expect(line?.request).toEqual(
    expect.objectContaining({
      uri: "http://example.com/%C3%BC%23?q",
      headers: { "X-A": ["ä"] },
      transfer_encoding: ["chunked"],
    }),
  );
});

test("credentials are shown when asked for", () => {
  const [line] = logged({ should_log_credentials: true }, { headers: ["Cookie", "c"] });
  expect(line).toMatchObject({
    request: { headers: { Cookie: ["c"] } },
    resp_headers: { "Set-Cookie": ["s=1"] },
  });
});

test("a request that no handler answered has no status, and other words", () => {
  const [line] = logged({}, {}, (exchange) => {
    exchange.vars.set("unhandled", true);
    exchange.respond(200);
  });
  expect(line).toMatchObject({ msg: "NOP", status: 0 });
});

test("the text of an answer that has none does not count", () => {
  const [line] = logged({}, {}, (exchange) => {
    exchange.respond(204, "text");
    exchange.end();
  });
  expect(line).toMatchObject({ status: 204, size: 0 });
});

test("failures are errors; a handler may choose the level", () => {
  expect(logged({}, {}, (exchange) => exchange.respond(502))[0]?.level).toBe("error");
  expect(logged({}, {}, (exchange) => void exchange.vars.set("log_level", "WARN"))[0]?.level).toBe("warn");
  expect(logged({}, {}, (exchange) => void exchange.vars.set("log_level", "debug"))).toEqual([]);
});

test.each([
  ["HEAD", 200, 0],
  ["GET", 204, 0],
  ["GET", 304, 0],
  ["GET", 200, 4],
])("what is not sent has no size: %s with %i", (method, status, size) => {
  const [line] = logged({}, { method }, (exchange) => exchange.respond(status, "body"));
  expect(line).toMatchObject({ status, size });
});

const names = { logger_names: { "A.example": "a", "*.example": ["w", "v"], "b.example": ["", ""] } };

test.each([
  [names, "a.example:80", ["http.log.access.a"]],
  [names, "x.example", ["http.log.access.w", "http.log.access.v"]],
  [names, "b.example", ["http.log.access"]],
  [names, "other", ["http.log.access"]],
  [{ ...names, skip_unmapped_hosts: true }, "other", []],
  [{ skip_hosts: ["x.example", "*.test"] }, "x.example", []],
  [{ skip_hosts: ["*.test"] }, "a.test", []],
  [{ ...names, skip_hosts: ["b.example", "x.example"] }, "b.example", ["http.log.access"]],
  [{ ...names, skip_hosts: ["b.example", "x.example"] }, "x.example", []],
  [{ logger_names: { "t.example": ["", "a", ""] } }, "t.example", ["http.log.access", "http.log.access.a"]],
  [{ default_logger_name: "d" }, "a.test", ["http.log.access.d"]],
])("%j and host %s: %j", (config, host, expected) => {
  expect(logged(config, { host }).map((line) => line.logger)).toEqual(expected);
});

test("a request may be left out, or go to loggers of a handler's choice", () => {
  expect(logged({}, {}, (exchange) => void exchange.vars.set("log_skip", true))).toEqual([]);
  const [one, two] = logged({}, {}, (exchange) => void exchange.vars.set("access_logger_names", ["a", ""]));
  expect([one?.logger, two?.logger]).toEqual(["http.log.access.a", "http.log.access"]);
});

test("log_append adds fields", async () => {
  const handlers = await Promise.all(
    [
      { key: "text", value: "plain" },
      { key: "var", value: "v" },
      { key: "early", value: "{http.vars.v}", early: true },
      { key: "late", value: "{http.vars.v}" },
    ].map((config) => provisionHandler("log_append", config)),
  );
  const [line] = logged({}, {}, (exchange) => {
    exchange.vars.set("v", "before");
    for (const handler of handlers) {
      void handler.handle(exchange, () => {});
    }
    exchange.vars.set("v", 7);
  });
  expect(line).toMatchObject({ text: "plain", var: 7, early: "before", late: "7" });
});

test("of two log_append for one key the outer wins, unless an error route has one", async () => {
  const [outer, inner, early, late] = await Promise.all(
    [
      { key: "k", value: "outer" },
      { key: "k", value: "inner" },
      { key: "k", value: "early", early: true },
      { key: "k", value: "error" },
    ].map((config) => provisionHandler("log_append", config)),
  );
  const fieldOf = (...handlers: readonly (HttpHandler | undefined)[]) =>
    logged({}, {}, (exchange) => {
      for (const handler of handlers) {
        if (handler === late) {
          exchange.error = new HttpError(500, "failed");
        }
        void handler?.handle(exchange, () => {});
      }
    })[0]?.k;
  expect(fieldOf(outer, inner)).toBe("outer");
  expect(fieldOf(outer, early)).toBe("outer");
  expect(fieldOf(early, inner)).toBe("inner");
  expect(fieldOf(outer, late)).toBe("error");
});
