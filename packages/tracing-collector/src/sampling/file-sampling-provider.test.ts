import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientTlsOptions, openClientTls, StartError } from "lifecycle";
import { createTestAuthority, createTlsFolder } from "lifecycle/testing";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { recordedLog } from "../../test/recorded-log.ts";
import { type FileSamplingOptions, openFileSamplingProvider } from "./file-sampling-provider.ts";
import { maxStrategiesBytes } from "./read-strategies.ts";

const patience = { timeout: 60_000, interval: 5 };

let folder: string;
let source: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "strategies-"));
  source = join(folder, "strategies.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const rate = (param: number) => JSON.stringify({ default_strategy: { type: "probabilistic", param } });
const limited = JSON.stringify({
  default_strategy: {
    type: "probabilistic",
    param: 0.5,
    operation_strategies: [{ operation: "op", type: "probabilistic", param: 1 }],
  },
  service_strategies: [{ service: "limited", type: "ratelimiting", param: 1 }],
});

async function open(options: Partial<FileSamplingOptions> = {}) {
  const log = recordedLog();
  const provider = await openFileSamplingProvider(
    { source, reloadIntervalMs: 0, bugfix5270: false, ...options },
    log,
  );
  onTestFinished(() => provider.close());
  return {
    provider,
    log,
    rateOf: (service = "") => provider.strategyFor(service).probabilisticSampling?.samplingRate,
  };
}

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/s.json`;
}

describe("over TLS", () => {
  const authority = createTestAuthority();
  const options = (caPath: string, certPath: string, keyPath: string) =>
    z.object(clientTlsOptions("sampling.strategies")).parse({
      "sampling.strategies.tls.enabled": true,
      "sampling.strategies.tls.ca": caPath,
      "sampling.strategies.tls.cert": certPath,
      "sampling.strategies.tls.key": keyPath,
      "sampling.strategies.tls.server-name": "server",
    });

  test("strategies come from a server that asks for a certificate", async () => {
    const server = createTlsServer(
      { ...authority.issue("server"), ca: authority.cert, requestCert: true, rejectUnauthorized: true },
      (_request, response) => response.end(rate(0.25)),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const files = createTlsFolder(authority.issue("collector"), authority.cert);
    onTestFinished(() => files.remove());
    const parsed = options(files.caPath, files.certPath, files.keyPath);
    const tls = openClientTls(parsed, "sampling.strategies", recordedLog());
    const url = `https://localhost:${(server.address() as AddressInfo).port}/s.json`;
    // At startup one second must suffice, which a busy machine may exceed.
    const { rateOf } = await vi.waitFor(() => open({ source: url, tls }), patience);
    expect(rateOf()).toBe(0.25);
    await expect(open({ source: url })).rejects.toThrow("cannot be downloaded");
  });

  test("options of TLS without an https address stop the start", async () => {
    const tls = openClientTls(options("", "", ""), "sampling.strategies", recordedLog());
    await expect(open({ tls })).rejects.toThrow("needs an https address");
  });
});

test("without a file every service gets the built-in default", async () => {
  const { rateOf } = await open({ source: "" });
  expect(rateOf("any")).toBe(0.001);
});

describe("at the start", () => {
  test.each([
    { name: "a file that is not there", text: undefined, message: "cannot be read: ENOENT" },
    { name: "text that is not JSON", text: "{", message: "is not JSON: Expected property name" },
    {
      name: "a member of a wrong type",
      text: '{"default_strategy":{"param":true}}',
      message: "default_strategy.param: Invalid input: expected number",
    },
    {
      name: "a file that is too long",
      text: " ".repeat(maxStrategiesBytes + 1),
      message: "is longer than the limit of 16777216 bytes",
    },
  ])("$name is fatal, and the file is named", async ({ text, message }) => {
    if (text !== undefined) {
      await writeFile(source, text);
    }
    const error = await open().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    expect((error as Error).message).toContain(`--sampling.strategies-file: ${source}: ${message}`);
  });

  test.each([
    { name: "an error", status: 500, message: "answers 500: sorry" },
    { name: "not found", status: 404, message: "answers 404: sorry" },
  ])("a URL that answers with $name is fatal", async ({ status, message }) => {
    const url = await serve((_, response) => response.writeHead(status).end("sorry"));
    await expect(open({ source: url })).rejects.toThrow(`--sampling.strategies-file: ${url}: ${message}`);
  });

  test("a URL that does not answer within a second is fatal", async () => {
    const url = await serve(() => {});
    await expect(open({ source: url })).rejects.toThrow(`${url}: has not answered within 1000 ms`);
  });

  test("a URL where nobody listens is fatal", async () => {
    await expect(open({ source: "http://127.0.0.1:9/x" })).rejects.toThrow(/cannot be downloaded: .+/);
  });

  test.each([
    { name: "503", status: 503, text: "starting" },
    { name: "null", status: 200, text: "null" },
  ])("a URL that answers $name has no strategies, for now", async ({ status, text }) => {
    let answer = { status, text };
    const url = await serve((_, response) => response.writeHead(answer.status).end(answer.text));
    const { rateOf } = await open({ source: url, reloadIntervalMs: 5 });
    expect(rateOf()).toBe(0.001);
    answer = { status: 200, text: rate(0.25) };
    await expect.poll(() => rateOf(), patience).toBe(0.25);
  });

  test("user and password of a URL are sent, and not logged", async () => {
    let authorization: string | undefined;
    const url = await serve((request, response) => {
      ({ authorization } = request.headers);
      response.end(rate(0.5));
    });
    const { log, rateOf } = await open({ source: url.replace("http://", "http://me:s%40cret@") });
    expect(rateOf()).toBe(0.5);
    expect(authorization).toBe(`Basic ${btoa("me:s@cret")}`);
    expect(log.messages()).toEqual([`sampling strategies read from ${url}`]);
  });
});

describe("read again", () => {
  test("changed text is used, broken text is not, and the log says so", async () => {
    await writeFile(source, rate(0.1));
    const { log, rateOf } = await open({ reloadIntervalMs: 5 });
    expect(rateOf()).toBe(0.1);
    await writeFile(source, rate(0.2));
    await expect.poll(() => rateOf(), patience).toBe(0.2);
    await writeFile(source, "{");
    await expect.poll(() => log.messages().join(), patience).toContain("stay as they were: is not JSON");
    await rm(source);
    await expect
      .poll(() => log.messages().join(), patience)
      .toContain("stay as they were: cannot be read: ENOENT");
    expect(rateOf()).toBe(0.2);
    await writeFile(source, rate(0.3));
    await expect.poll(() => rateOf(), patience).toBe(0.3);
  });

  test("text that has not changed stays as it was merged at the start; changed text is merged as with bugfix-5270", async () => {
    let reads = 0;
    let text = limited;
    const url = await serve((_, response) => {
      reads++;
      response.end(text);
    });
    const { provider } = await open({ source: url, reloadIntervalMs: 5 });
    await expect.poll(() => reads, patience).toBeGreaterThan(2);
    expect(provider.strategyFor("limited").operationSampling).toBeUndefined();
    text = `${limited}\n`;
    await expect
      .poll(() => provider.strategyFor("limited").operationSampling, patience)
      .toMatchObject({
        defaultSamplingProbability: 0.5,
      });
  });

  test("not after close", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    await writeFile(source, rate(0.5));
    const { provider } = await open({ reloadIntervalMs: 1_000 });
    expect(vi.getTimerCount()).toBe(1);
    await provider.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("at most 20 warnings of one text", async () => {
  const rules = Array.from({ length: 25 }, (_, index) => ({ service: `s${index}`, type: "?" }));
  await writeFile(source, JSON.stringify({ service_strategies: rules }));
  const { log } = await open();
  const warnings = log.messages("warn");
  expect(warnings).toHaveLength(21);
  expect(warnings[0]).toContain(`${source}: service "s0": type "?" is neither`);
  expect(warnings.at(-1)).toBe(`sampling strategies ${source}: 5 more warnings`);
});
