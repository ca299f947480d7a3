import { describe, expect, test, vi } from "vitest";
import { provisionModule } from "../../../../admin-server/src/testing/provision-module.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";
import type { LogEntry } from "../log-entry.ts";
import { logEncoders } from "../log-modules.ts";

const entry: LogEntry = {
  level: "info",
  timeMs: Date.parse("2026-03-04T05:06:07.089Z"),
  logger: "http.log.access",
  message: "handled\x1b[31m request",
  fields: {
    request: { uri: "/a?token=1&b=2", headers: { Cookie: ["a=1; b=2"] } },
    duration: 0.25,
    status: 200,
  },
};

async function encode(name: string, config: object): Promise<string> {
  return (await provisionModule(logEncoders, name, config)).encode(entry);
}

const fields = '"request":{"uri":"/a?token=1&b=2","headers":{"Cookie":["a=1; b=2"]}}';

const spaced =
  '{"request": {"uri": "/a?token=1&b=2", "headers": {"Cookie": ["a=1; b=2"]}}, "duration": 0.25, "status": 200}';

test.each([
  [
    "json",
    {},
    `{"level":"info","ts":1772600767.089,"logger":"http.log.access","msg":"handled\\u001b[31m request",${fields},"duration":0.25,"status":200}\n`,
  ],
  [
    "json",
    {
      time_format: "rfc3339",
      level_format: "upper",
      message_key: "message",
      name_key: "",
      time_key: "t",
      level_key: "l",
      line_ending: "\r\n",
      duration_format: "ms",
    },
    `{"l":"INFO","t":"2026-03-04T05:06:07Z","message":"handled\\u001b[31m request",${fields},"duration":250,"status":200}\r\n`,
  ],
  [
    "console",
    {},
    `2026/03/04 05:06:07.089\t\x1b[34mINFO\x1b[0m\thttp.log.access\thandled\\u001b[31m request\t${spaced}\n`,
  ],
  [
    "console",
    { level_format: "upper", time_key: "", name_key: "", duration_format: "string" },
    `INFO\thandled\\u001b[31m request\t${spaced.replace("0.25", '"250ms"')}\n`,
  ],
  [
    "journald",
    {},
    `<6>{"level":"info","ts":1772600767.089,"logger":"http.log.access","msg":"handled\\u001b[31m request",${fields},"duration":0.25,"status":200}\n`,
  ],
  [
    "journald",
    { wrap: { format: "filter", wrap: { format: "console", level_format: "lower", message_key: "" } } },
    `<6>info\thttp.log.access\t${spaced}\n`,
  ],
])("%s with %j", async (name, config, expected) => {
  expect(await encode(name, config)).toBe(expected);
});

test.each([
  ["unix_milli_float", 1772600767089],
  ["unix_nano", 1772600767089e6],
  ["iso8601", "2026-03-04T05:06:07.089Z"],
  ["rfc3339_nano", "2026-03-04T05:06:07.089Z"],
  ["wall", "2026/03/04 05:06:07"],
  ["common_log", "04/Mar/2026:05:06:07 +0000"],
  ["Jan 2", "Mar 4"],
])("times as %s", async (time_format, expected) => {
  expect(JSON.parse(await encode("json", { time_format })).ts).toBe(expected);
});

test.each([
  ["iso8601", false, "2026-03-04T10:36:07.089+0530"],
  ["rfc3339", false, "2026-03-04T05:06:07Z"],
  ["rfc3339", true, "2026-03-04T10:36:07+05:30"],
])(
  "times as %s with time_local %s, where the machine's zone is half an hour off",
  async (time_format, time_local, expected) => {
    vi.stubEnv("TZ", "Asia/Kolkata");
    try {
      expect(JSON.parse(await encode("json", { time_format, time_local })).ts).toBe(expected);
    } finally {
      vi.unstubAllEnvs();
    }
  },
);

test.each(["json", "console"])(
  "a byte that is no UTF-8 is U+FFFD in a line of %s, at which no reader fails",
  async (name) => {
    const encoder = await provisionModule(logEncoders, name, {});
    const line = encoder.encode({ ...entry, fields: { odd: "a\udcfc", pair: "😀", text: "\\udcfc \u001f" } });
    const fields = JSON.parse(line.slice(line.indexOf("{"))) as object;
    expect(line).not.toMatch(/[^\\]\\udcfc/);
    expect(fields).toMatchObject({ odd: "a\ufffd", pair: "😀", text: "\\udcfc \u001f" });
  },
);

test("the same fields can be put on every line", async () => {
  const line = await encode("append", {
    fields: { where: "{system.os}", n: 5, year: "{time.now.year}", none: "{nope}", text: "in {system.os}" },
    wrap: { format: "json", level_key: "" },
  });
  expect(JSON.parse(line)).toMatchObject({
    where: process.platform,
    n: 5,
    year: String(new Date().getFullYear()),
    none: null,
    text: "in {system.os}",
    status: 200,
  });
  expect(JSON.parse(line).level).toBeUndefined();
});

test("fields can be changed at any depth before they are written", async () => {
  const line = await encode("filter", {
    fields: {
      status: { filter: "rename", name: "code" },
      duration: { filter: "delete" },
      "request>uri": {
        filter: "query",
        actions: [
          { type: "replace", parameter: "token", value: "X" },
          { type: "delete", parameter: "b" },
        ],
      },
      "request>headers>Cookie": {
        filter: "cookie",
        actions: [
          { type: "delete", name: "a" },
          { type: "hash", name: "b" },
        ],
      },
      "request>nothing>here": { filter: "delete" },
      msg: { filter: "regexp", regexp: "^(\\w+).*", value: "$1" },
    },
  });
  expect(JSON.parse(line)).toEqual({
    level: "info",
    ts: 1772600767.089,
    logger: "http.log.access",
    msg: "handled",
    request: { uri: "/a?token=X", headers: { Cookie: ["b=d4735e3a"] } },
    code: 200,
  });
});

test.each([
  ["json", { time: 1 }, "unknown field"],
  ["filter", { fields: { a: { filter: "nope" } } }, "unknown module: logging.encoders.filter.nope"],
  ["filter", { fields: { a: { filter: "regexp", regexp: "(" } } }, "regular expression"],
])("%s with %j is refused", async (name, config, message) => {
  await expect(encode(name, config)).rejects.toThrow(message);
});

describe("transform", () => {
  const access: LogEntry = {
    ...entry,
    message: "handled",
    fields: {
      request: {
        client_ip: "192.0.2.1",
        method: "GET",
        uri: '/a"b\n?x=1',
        proto: "HTTP/2.0",
        headers: { "User-Agent": ["curl/8"], Referer: [""] },
      },
      user_id: "",
      status: 200,
      size: 12,
      duration: 0.25,
    },
  };
  const lineOf = async (config: object, name = "transform") =>
    (await provisionModule(logEncoders, name, config)).encode(access);

  test.each([
    [
      { template: "{common_log}" },
      '192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a"b\\n?x=1 HTTP/2.0" 200 12\n',
    ],
    [{ template: "{ts} {level} {msg}", time_format: "rfc3339" }, "2026-03-04T05:06:07Z info handled\n"],
    [{ template: "{request>headers>User-Agent>[0]} {request>headers>User-Agent}" }, 'curl/8 ["curl/8"]\n'],
    [{ template: "{nothing:request>none:status} {none}", placeholder: "?" }, "200 ?\n"],
    [{ template: "{request>uri}", unescape_strings: true }, '/a"b\n?x=1\n'],
    [{ template: "{request>method>x} {duration}", duration_format: "ms" }, "- 250\n"],
    [{ template: "{env.NOBODY_SETS_THIS} plain" }, "- plain\n"],
    [{ template: "{constructor} {request>__proto__}" }, "- -\n"],
  ])("%j", async (config, expected) => {
    expect(await lineOf(config)).toBe(expected);
    expect(await lineOf(config, "formatted")).toBe(expected);
  });

  test("a config without a template is refused", async () => {
    await expect(lineOf({ template: "" })).rejects.toThrow("missing template for formatted log encoder");
    await expect(lineOf({ template: "x".repeat(10_001) })).rejects.toThrow("limit of 10000 characters");
  });

  test.each([
    ['format transform "{common_log}"', "transform", "{common_log}"],
    ["format transform", "transform", "{common_log}"],
    ["format formatted {ts} {msg}", "formatted", "{ts} {msg}"],
  ])("the line %s, there and back", async (line, format, template) => {
    const text = `:80 {\n\tlog {\n\t\t${line} {\n\t\t\ttime_local\n\t\t\tplaceholder ?\n\t\t}\n\t}\n\trespond hi\n}\n`;
    const { result } = adaptServerfile(Buffer.from(text), {});
    expect(result).toMatchObject({
      logging: { logs: { log0: { encoder: { format, template, time_local: true, placeholder: "?" } } } },
    });
    expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
  });
});
