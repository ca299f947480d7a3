import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { main } from "./main.ts";

/** A server with the answers of the test, which records requests. */
let server: Server;
let url = "";
let asked: {
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await text(request);
    asked.push({ target: request.url ?? "", headers: request.headers, body });
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  asked = [];
});

async function tracing(args: readonly string[], input = "", environment: Record<string, string> = {}) {
  const output = new PassThrough();
  const errors = new PassThrough();
  const all = Promise.all([text(output), text(errors)]);
  const code = await main(args, {
    ...{
      environment: { TRACING_URL: url, ...environment },
      input: Readable.from([Buffer.from(input)]),
      output,
      errors,
    },
  });
  output.end();
  errors.end();
  const [out, err] = await all;
  return { code, out, err };
}

test.each([
  [["nope"], 'tracing: there is no command "nope"; tracing help lists them\n'],
  [["get"], "tracing: usage: tracing get <trace id>\n"],
  [["get", "xyz"], 'tracing: "xyz" is no trace id of up to 32 hex digits\n'],
  [["top", "--order", "size"], 'tracing: --order: "size" is none of duration, calls, errors, p95\n'],
  [["search", "--limit", "0"], 'tracing: --limit: "0" is no whole number from 1 to 5000\n'],
  [["search", "-H", "no header"], 'tracing: --header: "no header" is no "Key: value"\n'],
  [
    ["search", "--url", "ftp://x"],
    'tracing: --url: "ftp://x" is no address such as http://localhost:16686\n',
  ],
])("%j is a wrong command line", async (args, err) => {
  expect(await tracing(args)).toEqual({ code: 2, out: "", err });
  expect(asked).toEqual([]);
});

test.each([
  ["text", 500, {}, "no\x1b[2J \x9b2Jspans"],
  ["JSON", 400, {}, JSON.stringify({ detail: "no\x1b[2J \x9b2Jspans" })],
])("a failure as %s cannot write over the terminal", async (_form, status, headers, body) => {
  answer = (_request, response) => void response.writeHead(status, headers).end(body);
  const { code, err } = await tracing(["get", "1"]);
  expect([code, err]).toEqual([1, `tracing: ${url}/api/v3/traces/1: ${status} no\ufffd[2J \ufffd2Jspans\n`]);
});

test("an option that is none leads to the help", async () => {
  const { code, err } = await tracing(["search", "--nope"]);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/--nope.*tracing search --help lists the options\n$/s),
  ]);
});

test.each([
  [404, "application/json", '{"errors":[{"code":404,"msg":"trace not found"}]}', "404 trace not found"],
  [
    400,
    "application/problem+json",
    '{"title":"Bad Request","detail":"limit is too large"}',
    "400 limit is too large",
  ],
  [400, "application/json", '{"error":{"httpCode":400,"message":"malformed time"}}', "400 malformed time"],
  [503, "text/plain", "the store is away\n", "503 the store is away"],
  [
    302,
    "text/html",
    "",
    "302 leads to /login: give that address, or what logs you in, with --url and --header",
  ],
])("a failure with %d in %s is told", async (status, type, body, message) => {
  answer = (_, response) =>
    response.writeHead(status, { "content-type": type, location: "/login" }).end(body);
  const { code, out, err } = await tracing(["get", "1"]);
  expect([code, out, err]).toEqual([1, "", `tracing: ${url}/api/v3/traces/1: ${message}\n`]);
});

test("another server is no tracing-query", async () => {
  answer = (_, response) => response.end("<html>");
  expect((await tracing(["services"])).err).toContain(
    "does not answer in JSON: is it the address of tracing-query?",
  );
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const away = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise((resolve) => gone.close(resolve));
  const { code, err } = await tracing(["services", "--url", away]);
  expect([code, err]).toEqual([1, `tracing: ${away} does not answer: ECONNREFUSED\n`]);
});

test("headers and the tenant go with each request", async () => {
  answer = (_, response) => response.end('{"traces":[]}');
  const { code, err } = await tracing(["search", "-H", "Authorization: Bearer x"], "", {
    TRACING_TENANT: "blue",
  });
  expect([code, err]).toEqual([0, "no trace matches; --since and --start say how far back to look\n"]);
  expect(asked[0]?.headers).toMatchObject({ authorization: "Bearer x", "x-tenant": "blue" });
});

test("a search over a store of which a part is away says so", async () => {
  answer = (_, response) =>
    response.end(
      '{"traces":[],"metrics":{"completedJobs":1,"totalJobs":2},"status":"PARTIAL","message":"shard 2 is away"}',
    );
  expect((await tracing(["search"])).err).toContain(
    "warning: a part of the store did not answer, so traces may be missing: shard 2 is away\n",
  );
});

test("an import tries again while the collector is busy, and tells what it refused", async () => {
  let sent = 0;
  answer = (_, response) => {
    sent++;
    if (sent === 1) {
      response.writeHead(503, { "retry-after": "0" }).end("busy");
    } else if (sent === 3) {
      response.writeHead(400).end("no message");
    } else {
      response.end(sent === 4 ? '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no id"}}' : "{}");
    }
  };
  const result = await tracing(["import", "--to", url, "--tenant", "blue"], '{"a":1}\n\n{"b":1}\n{"c":1}\n');
  expect(result).toEqual({
    ...{ code: 1, out: "" },
    err: "line 3: 400 no message\nline 4: 2 spans rejected: no id\n2 lines sent, 1 refused, 2 spans rejected\n",
  });
  expect(asked.map(({ target, body, headers }) => [target, body, headers["x-tenant"]])).toEqual(
    ['{"a":1}', '{"a":1}', '{"b":1}', '{"c":1}'].map((body) => ["/v1/traces", body, "blue"]),
  );
});

test("an import that the collector ends can go on where it was", async () => {
  answer = (_, response) => response.writeHead(503, { "retry-after": "60" }).end("full");
  const { code, err } = await tracing(
    ["import", "--to", url, "--from-line", "2", "--retry-for", "1s"],
    "{}\n{}\n",
  );
  expect([code, err]).toEqual([
    1,
    `stopped at line 2; go on with --from-line 2\n0 lines sent, 0 refused, 0 spans rejected\ntracing: ${url}/v1/traces: 503 full\n`,
  ]);
});

test("a tail that tracing-query ends is a failure", async () => {
  answer = (_, response) =>
    response.end(
      'event: skipped\ndata: {"spans":3,"reason":"too many"}\n\nevent: spans\ndata: {"spans":[{"traceID":"1"}]}\n\n',
    );
  expect(await tracing(["tail"])).toEqual({
    ...{ code: 1, out: '{"traceID":"1"}\n' },
    err: "warning: 3 spans are left out: too many\ntracing: tracing-query ended the stream\n",
  });
  expect(await tracing(["tail", "--limit", "1"])).toMatchObject({ code: 0, out: '{"traceID":"1"}\n' });
});

test.each(["bash", "zsh", "fish"])("%s completes commands and their options", async (shell) => {
  const { code, out } = await tracing(["completion", shell]);
  expect(code).toBe(0);
  expect(out).toMatch(/search[\s\S]*min-duration/);
});

test.each([
  [["export", "--format", "p"], "parquet"],
  [["search", "-o", ""], "table json"],
  [["top", "--order", "e"], "errors"],
  [["export", "--fo"], "--format --force"],
  [["expo"], "export"],
])("bash completes %j", async (words, completed) => {
  const script = `eval "$SCRIPT"; COMP_WORDS=(tracing "$@"); COMP_CWORD=$#; _tracing; echo "\${COMPREPLY[*]}"`;
  const { out } = await tracing(["completion", "bash"]);
  const env = { ...process.env, SCRIPT: out };
  expect(execFileSync("bash", ["-c", script, "bash", ...words], { env, encoding: "utf8" })).toBe(
    `${completed}\n`,
  );
});

test("each command has help with an example of its own", async () => {
  const { out } = await tracing(["help"]);
  const names = [...out.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name).slice(0, -3);
  expect(names).toEqual([
    "search",
    "get",
    "diff",
    "services",
    "top",
    "slo",
    "tail",
    "export",
    "import",
    "delete",
  ]);
  for (const name of names) {
    expect((await tracing([name, "--help"])).out).toMatch(new RegExp(`\\nExamples:\\n.*tracing ${name}`));
  }
});

test("whatever a part of the store was missing for, is said once, and an incomplete export is no success", async () => {
  const reasons = JSON.stringify([{ kind: "shard", text: "no server of shard 2 answers" }]);
  answer = (request, response) => {
    response.setHeader("x-tracing-partial", reasons);
    response.end(
      request.url?.startsWith("/tempo")
        ? '{"traces":[{"traceID":"1"},{"traceID":"2"}],"metrics":{"completedJobs":1,"totalJobs":2}}'
        : '{"result":{"resourceSpans":[]},"total":0,"names":[]}',
    );
  };
  const warning =
    "warning: a part of the store did not answer, so something may be missing: no server of shard 2 answers\n";
  expect(await tracing(["export"])).toEqual({
    ...{ code: 1, out: '{"resourceSpans":[]}\n{"resourceSpans":[]}\n' },
    err: `${warning}2 traces written, 2 of them may be incomplete, 0 failed\n`,
  });
  expect((await tracing(["get", "1"])).err).toBe(warning);
  expect((await tracing(["services"])).err).toBe(`${warning}no service was called in that time\n`);
  answer = (_, response) => response.writeHead(404, { "x-tracing-partial": "cut [" }).end("trace not found");
  expect((await tracing(["get", "1"])).err).toMatch(/missing: cut \[\n.*404 trace not found/);
});

test("1,500 services come in pages, and the running minute counts", async () => {
  answer = (request, response) => {
    const { searchParams } = new URL(request.url ?? "", url);
    const names = Array.from(
      { length: Math.min(Number(searchParams.get("limit")), 1_500 - Number(searchParams.get("offset"))) },
      (_, index) => ({
        ...{
          name: `s${Number(searchParams.get("offset")) + index}`,
          calls: 1,
          errors: 0,
          p50: 1,
          p95: 1,
          p99: 1,
        },
      }),
    );
    response.end(JSON.stringify({ total: 1_500, names }));
  };
  const { out } = await tracing(["services", "--limit", "5000", "--end", "1769860830"]);
  const lines = out.trim().split("\n");
  expect([lines.length, JSON.parse(lines[1_499] ?? "").service]).toEqual([1_500, "s1499"]);
  expect(asked).toHaveLength(8);
  expect(asked[0]?.target).toContain("endTs=1769860860000&lookback=3630000");
  expect((await tracing(["services"])).err).toBe("1450 more; --limit shows them\n");
});

test("a trace without others like it has no median", async () => {
  answer = (_, response) =>
    response.end(
      '{"a":{"duration":1,"spans":1},"b":{"duration":0,"spans":0,"traces":0},"nodes":[],"ranked":[]}',
    );
  const { code, out, err } = await tracing(["diff", "1"]);
  expect([code, out, err]).toEqual([
    1,
    "",
    expect.stringContaining("no other trace of its root operation was found"),
  ]);
});

test("a file that is not there has no line to go on from", async () => {
  const { code, err } = await tracing(["import", "/nowhere/traces.jsonl"]);
  expect([code, err]).toEqual([1, expect.stringMatching(/^tracing: ENOENT[^\n]*\n$/)]);
});

test("options before the command are told where they belong", async () => {
  expect((await tracing(["--tenant", "a", "search"])).err).toContain("options come behind the command");
});

test.each([
  [[], "name what to delete"],
  [["--yes"], "name what to delete"],
  [["--trace-id", ""], "--trace-id is empty"],
  [["--trace-id", " "], "--trace-id is empty"],
  [["--trace-id", "ab,,cd"], "--trace-id is empty"],
  [["--attribute", ""], "--attribute is empty"],
  [["--attribute", "user.id="], "is not key=value with a value"],
  [["--attribute", "=ann"], "is not key=value with a value"],
  [["--attribute", "user.id"], "is not key=value with a value"],
  [["--attribute", "a=b", "--attribute", "c=d"], "was given twice"],
  [["--trace-id", "ab", "--start", ""], "--start is empty"],
  [["--end", "yesterday"], "is no time"],
  [["jobs", "--yes"], "do not go with"],
  [["abababababababababababababababab"], "usage: tracing delete"],
  [["cancel"], "usage: tracing delete"],
])(
  "a deletion that may mean more than it says is refused before anything is asked: %j",
  async (args, message) => {
    const { code, err } = await tracing(["delete", ...args, "--tenant", "blue"]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(asked).toEqual([]);
  },
);

test("a deletion is followed to its end, and only --yes deletes", async () => {
  const job = { id: "j1", user: "ann", created: 1, deletes: false };
  let looks = 0;
  answer = (request, response) => {
    looks += request.method === "GET" ? 1 : 0;
    const ended = {
      state: "counted",
      traces: 2,
      tables: { spans: { rows: 3, remaining: 3 } },
      proof: ["SELECT 1"],
    };
    response.end(JSON.stringify(looks < 2 ? { ...job, state: "running" } : { ...job, ...ended }));
  };
  const { code, out } = await tracing(["delete", "--attribute", "k=a=b", "--end", "2", "--output", "table"]);
  expect([code, out]).toEqual([
    0,
    "job j1: counted\nspans: 3 rows\nspans of 2 traces; nothing is deleted without --yes\n",
  ]);
  expect(asked.map(({ target }) => target)).toEqual([
    "/api/deletion/v1/jobs",
    ...["/api/deletion/v1/jobs/j1", "/api/deletion/v1/jobs/j1"],
  ]);
  expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
    ...{ attribute: { key: "k", value: "a=b" }, end: 2_000_000, delete: false },
  });
  await tracing(["delete", "--trace-id", "ab,cd", "--yes"]);
  expect(JSON.parse(asked[3]?.body ?? "")).toEqual({ traceIds: ["ab", "cd"], delete: true });
});

test.each([
  ["done", 0],
  ["incomplete", 1],
  ["failed", 1],
])("a deletion that is %s ends with %d", async (state, code) => {
  answer = (_, response) =>
    response.end(
      JSON.stringify({ id: "j\x1b1", user: "ann", created: 1, deletes: true, state, error: "\x1b[2J" }),
    );
  const ended = await tracing(["delete", "show", "j/1", "--output", "table"]);
  expect([ended.code, ended.out]).toEqual([code, `job j\ufffd1: ${state}: \ufffd[2J\n`]);
  expect(asked[0]?.target).toBe("/api/deletion/v1/jobs/j%2F1");
});

const objective = {
  ...{ name: "checkout", service: "shop", target: 99.9, windowHours: 720, state: "burning" },
  ...{ total: 1000, bad: 2, budgetLeft: -0.5 },
  burnRates: [
    { window: "1h", rate: 14.44 },
    { window: "6h", rate: null },
    { window: "1d", rate: 0 },
  ],
};

test("objectives are a table with budgets and burn rates, and --check tells a script", async () => {
  answer = (_, response) => response.end(JSON.stringify({ isOn: true, matched: 1, objectives: [objective] }));
  const { code, out, err } = await tracing(["slo", "check", "--state", "burning", "--output", "table"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe(
    [
      "STATE    OBJECTIVE  SERVICE  TARGET  WINDOW    BAD  BUDGET LEFT  BURN RATES",
      "burning  checkout   shop     99.9 %     30d  0.2 %      -50.0 %  1h 14.4",
      "",
    ].join("\n"),
  );
  expect(asked[0]?.target).toBe("/api/objectives?contains=check&state=burning&order=state&limit=50&offset=0");
  expect(await tracing(["slo", "--check"])).toEqual({
    code: 1,
    out: `${JSON.stringify(objective)}\n`,
    err: "",
  });
});

test("objectives that are more than a page are read in pages, and a file that is not in use is told", async () => {
  answer = (request, response) => {
    const offset = Number(new URL(request.url ?? "", url).searchParams.get("offset"));
    const objectives = Array.from({ length: Math.min(200, 450 - offset) }, () => objective);
    response.end(JSON.stringify({ isOn: true, matched: 450, fileError: "line 3", objectives }));
  };
  const { out, err } = await tracing(["slo", "--limit", "1000"]);
  expect(out.trimEnd().split("\n")).toHaveLength(450);
  expect(err).toBe("warning: the file of objectives is not in use as it is now: line 3\n");
});

test("a tracing-query without objectives says how to have some", async () => {
  answer = (_, response) => response.end('{"isOn":false,"matched":0,"objectives":[]}');
  expect(await tracing(["slo"])).toEqual({
    ...{ code: 1, out: "" },
    err: "tracing: tracing-query has no objectives: start it with --query.objectives-file\n",
  });
});
