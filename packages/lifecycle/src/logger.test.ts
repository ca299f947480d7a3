import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = `
  import { createLogger } from ${JSON.stringify(fileURLToPath(new URL("./logger.ts", import.meta.url)))};
  import { OwnSpan } from ${JSON.stringify(fileURLToPath(new URL("./own-span.ts", import.meta.url)))};
  const log = createLogger({ name: "x", level: "info", encoding: process.argv[1] });
  const context = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", isSampled: false };
  log.info("outside");
  log.debug("too little");
  if (process.argv[2] === "often") {
    for (let each = 0; each < 50; each++) log.error({ each }, "again and again");
    for (let each = 0; each < 50; each++) log.info({ each }, "news");
  }
  if (process.argv[2] === "forged") {
    log.error({ err: new Error("bad \\u001b[31m\\rline") }, "hello \\u001b[2J\\nINFO: forged \\u009b");
  }
  new OwnSpan(undefined, "server", context).run(() => setImmediate(() => log.info({ a: 1 }, "inside")));
`;

/** Returns the output of a process with this encoding, because a log goes to the standard error of its process. */
function lines(encoding: string, ...more: string[]): string[] {
  const args = ["--input-type=module", "-e", program, encoding, ...more];
  const output = execFileSync("/bin/sh", ["-c", 'exec "$0" "$@" 2>&1', process.execPath, ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, NO_COLOR: "1" },
  });
  return output.trim().split("\n");
}

test("lines of a traced request carry its ids, as JSON", () => {
  const [outside, inside, ...more] = lines("json").map((line): unknown => JSON.parse(line));
  expect(outside).not.toHaveProperty("trace_id");
  expect(inside).toMatchObject({
    level: "info",
    msg: "inside",
    a: 1,
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    span_id: "b7ad6b7169203331",
  });
  expect(more).toEqual([]);
});

test("and for people", () => {
  const [outside, inside] = lines("console");
  expect(outside).toMatch(/INFO.*: outside$/);
  expect(inside).toContain(
    'inside {"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"',
  );
});

test("an error that comes over and over does not fill the log", () => {
  const all = lines("json", "often").map((line) => String((JSON.parse(line) as { msg: unknown }).msg));
  expect(all.filter((message) => message === "again and again")).toHaveLength(20);
  expect(all.filter((message) => message === "news")).toHaveLength(50);
});

test("on a terminal no message forges lines, nor moves what is there", () => {
  const [, forged = "", ...rest] = lines("console", "forged");
  expect(forged).toMatch(/ERROR: hello \\u001b\[2J\\nINFO: forged \\u009b ?$/);
  const below = rest.slice(0, -1);
  expect(below.length).toBeGreaterThan(3);
  for (const line of below) {
    expect(line).toMatch(/^ {4}/);
  }
  expect(rest.join("\n")).not.toContain("\u001b");
  expect(rest.join("\n")).not.toContain("\r");
});
