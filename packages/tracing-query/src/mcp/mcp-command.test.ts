import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { relayStdio } from "assistant-tools/stdio-relay";
import { createLogger } from "lifecycle";
import { testedProgram } from "lifecycle/testing";
import { afterEach, describe, expect, test } from "vitest";
import { otlpSpan, sampleStore, sampleTraceId } from "../service/sample-store.ts";
import { openSampleServer } from "../testing/sample-server.ts";
import { sampleService, sampleSettings } from "../testing/sample-service.ts";
import { mcpRouter } from "./mcp-router.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const program = testedProgram(fileURLToPath(new URL("../../bin/tracing-query.ts", import.meta.url)));
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) {
    await one.close();
  }
});

async function serve(): Promise<string> {
  const store = await sampleStore([otlpSpan()], "one");
  const settings = sampleSettings("one");
  const router = mcpRouter({
    ...settings,
    service: sampleService(store),
    log,
    basePath: "",
    allowedOrigins: [],
  });
  const server = await openSampleServer(store, { ...settings, routers: [router] });
  open.push({ close: () => server.stop(AbortSignal.abort()) });
  return `${server.base}/mcp`;
}

describe("an assistant that starts a program", () => {
  test.each([false, true])(
    "reads traces (client of 2026-07-28: %s)",
    async (isModern) => {
      const url = await serve();
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [program, "mcp", `--url=${url}`, "--header=x-tenant: one"],
      });
      const mode = isModern ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
      const client = new Client({ name: "test", version: "1" }, mode as never);
      open.push(client);
      await client.connect(transport);
      const names = ["get_services", "search_traces", "get_trace_errors"];
      const answers = await Promise.all(
        names.map((name) =>
          client.callTool({
            name,
            arguments: name === "get_trace_errors" ? { trace_id: sampleTraceId } : {},
          }),
        ),
      );
      expect(answers.map(({ structuredContent }) => structuredContent)).toMatchObject([
        { services: ["shop"] },
        { traces: [{ trace_id: sampleTraceId }] },
        { total_error_count: 0 },
      ]);
    },
    60_000,
  );
});

describe("what goes wrong", () => {
  /** The URL of a server that was closed. */
  async function closedUrl(): Promise<string> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return `http://127.0.0.1:${port}/mcp`;
  }

  /** @returns the messages for the assistant, one per line, and the warnings for its user */
  async function relay(url: string, lines: readonly string[], headers = new Map<string, string>()) {
    const output = new PassThrough();
    const warnings: string[] = [];
    const read = text(output);
    const input = Readable.from(lines.map((line) => Buffer.from(`${line}\n`)));
    await relayStdio({ url, headers, input, output, warn: (line) => warnings.push(line) });
    output.end();
    const messages = (await read).split("\n").filter((line) => line !== "");
    return { messages: messages.map((line) => JSON.parse(line)), warnings };
  }

  const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });

  test("is an error of the protocol, and a line for the user", async () => {
    const url = await serve();
    const page = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end("<p>a page"),
    );
    page.listen(0, "127.0.0.1");
    await once(page, "listening");
    open.push({ close: async () => void page.close() });
    const pageUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}/mcp`;

    const rows: [url: string, line: string, id: number | null, message: RegExp][] = [
      [await closedUrl(), list, 7, /does not answer: .*ECONNREFUSED/],
      [url, list, 7, /answers 401: .*tenant/],
      [pageUrl, list, 7, /answers 200: <p>a page/],
      [url.replace("/mcp", "/api/nothing"), list, 7, /answers 404/],
      [url, "{", null, /no JSON/],
      [url, `"${"x".repeat(300_000)}"`, null, /over the limit of 262144 bytes/],
    ];
    for (const [at, line, id, message] of rows) {
      const { messages, warnings } = await relay(at, [line]);
      expect(messages, line.slice(0, 80)).toMatchObject([
        { jsonrpc: "2.0", id, error: { message: expect.stringMatching(message) } },
      ]);
      expect(warnings.length).toBe(1);
    }
    const modern = JSON.stringify({
      ...{ jsonrpc: "2.0", id: 8, method: "tools/call" },
      params: {
        ...{ name: "get_services", arguments: {} },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    });
    const called = await relay(url, [modern], new Map([["x-tenant", "one"]]));
    expect(called.messages).toMatchObject([{ id: 8, result: { structuredContent: { services: ["shop"] } } }]);
    const { messages } = await relay(url, [list, "", list], new Map([["x-tenant", "one"]]));
    expect(messages.map(({ result }) => result.tools.length > 5)).toEqual([true, true]);
  });
});
