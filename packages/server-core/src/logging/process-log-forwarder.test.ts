import { createLogger } from "lifecycle";
import { beforeEach, expect, test } from "vitest";
import { makeJsonEncoder } from "./encoders/json.ts";
import { type LogLevelName, levelRank } from "./log-entry.ts";
import { LogOwner } from "./log-owner.ts";
import { LogSet } from "./logging.ts";
import { ProcessLogForwarder } from "./process-log-forwarder.ts";

let written: Record<string, unknown>[];
let onStandardError: string[];

beforeEach(() => {
  written = [];
  onStandardError = [];
});

/** A log that counts the lines that would be written to standard error. */
function logOf(level: "info" | "error") {
  const lines = new ProcessLogForwarder();
  const take = (line: string) => {
    if (!lines.take(line)) {
      onStandardError.push(String((JSON.parse(line) as { msg: string }).msg));
    }
    return true;
  };
  const log = createLogger({ name: "server", level, encoding: "json", take });
  lines.attach(log);
  return { lines, log };
}

function setOf(level: LogLevelName, more: object = {}): LogSet {
  return new LogSet([
    {
      isConfigured: true,
      owner: new LogOwner("test"),
      isDefault: true,
      level,
      rank: levelRank(level),
      callerSkip: undefined,
      stackRank: Number.POSITIVE_INFINITY,
      include: [],
      exclude: [],
      passes: undefined,
      encoder: makeJsonEncoder({}),
      writer: { write: (line) => void written.push(JSON.parse(line) as Record<string, unknown>) },
      ...more,
    },
  ]);
}

const messages = () => written.map(({ msg }) => msg);

test("lines stand on standard error until a config has a log for them, and again afterwards", () => {
  const { lines, log } = logOf("info");
  log.info("before");
  const set = setOf("info");
  lines.follow(set);
  log.warn({ count: 3 }, "within");
  lines.leave(set);
  log.info("after");
  expect(onStandardError).toEqual(["before", "after"]);
  expect(written).toMatchObject([{ level: "warn", logger: "server", msg: "within", count: 3 }]);
  expect(Math.abs(Number(written[0]?.ts) * 1_000 - Date.now())).toBeLessThan(60_000);
});

test("the level is that of the log, lower or higher than that of the start", () => {
  const { lines, log } = logOf("info");
  lines.follow(setOf("debug"));
  log.debug("fine");
  lines.follow(setOf("error"));
  log.warn("left out");
  log.error("not left out");
  expect([messages(), onStandardError]).toEqual([["fine", "not left out"], []]);
});

test("a log beside the default one gets them too, and adds nothing to standard error", () => {
  const { lines, log } = logOf("error");
  lines.follow(setOf("info", { isDefault: false }));
  log.info("only there");
  log.error("both");
  expect([messages(), onStandardError]).toEqual([["only there", "both"], ["both"]]);
});

test.each<[string, object]>([
  ["of other loggers", { include: ["http.log.access"] }],
  ["that leaves them out", { exclude: ["server"] }],
  ["that the config does not name", { isConfigured: false }],
])("a log %s changes nothing", (_, more) => {
  const { lines, log } = logOf("info");
  lines.follow(setOf("debug", more));
  log.debug("too low");
  log.info("as before");
  expect([messages(), onStandardError]).toEqual([[], ["as before"]]);
});

test("an older config lets go without taking them from the newer one", () => {
  const { lines, log } = logOf("info");
  const [older, newer] = [setOf("info"), setOf("info")];
  lines.follow(older);
  lines.follow(newer);
  lines.leave(older);
  log.info("still there");
  expect(messages()).toEqual(["still there"]);
});

test("callers and calls are told where a log asks for them", () => {
  const { lines, log } = logOf("info");
  lines.follow(setOf("info", { callerSkip: 0, stackRank: levelRank("error") }));
  log.info("from here");
  log.error("with calls");
  expect(written).toMatchObject([
    { caller: expect.stringMatching(/^process-log-forwarder\.test\.ts:\d+$/) },
    { stacktrace: expect.stringContaining("process-log-forwarder.test.ts") },
  ]);
  expect(written[0]).not.toHaveProperty("stacktrace");
});
