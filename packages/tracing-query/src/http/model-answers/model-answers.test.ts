// Answers of Jaeger, release 1.62, with its memory store, to the spans of request.json. They are
// exact, except for the order of services and of resources, which it leaves open.
import { readFileSync } from "node:fs";
import { createLogger, parseHostPort } from "lifecycle";
import { openMemoryStore } from "storage/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OtlpJsonTranscoder } from "wire/otlp";
import { type HttpServer, openHttpServer } from "../../server/http-server.ts";
import { sampleService, sampleSettings } from "../../testing/sample-service.ts";
import { UiPage } from "../ui-page.ts";

interface ModelAnswer {
  readonly method: string;
  readonly path: string;
  readonly sendsRequest: boolean;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const fixture = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const request = fixture("request.json");
const answers = JSON.parse(fixture("answers.json")) as ModelAnswer[];

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
let server: HttpServer;

beforeAll(async () => {
  const store = openMemoryStore();
  const { rows } = new OtlpJsonTranscoder().transcode(Buffer.from(request));
  await store.writer.writeSpans(rows, { deduplicationToken: "request" });
  server = await openHttpServer({
    ...sampleSettings(),
    address: parseHostPort("127.0.0.1:0")!,
    tls: undefined,
    service: sampleService(store),
    page: await UiPage.open({ folder: "/nowhere", configFile: "" }, log),
    uiFolder: "/nowhere",
    basePath: "",
    log,
  });
});

afterAll(() => server.stop(AbortSignal.abort()));

/** Where we differ: the model prints the attributes of an event that has none. */
function adjusted(body: string): string {
  return body.replace('"name":"ev","attributes":[]', '"name":"ev"');
}

describe("as the public model answers", () => {
  test.each(answers)("$method $path: $status", async ({ method, path, sendsRequest, ...answer }) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      ...(sendsRequest ? { body: request } : {}),
    });
    expect(await response.text()).toBe(adjusted(answer.body));
    expect(response.status).toBe(answer.status);
    expect(response.headers.get("content-type") ?? "").toBe(answer.contentType);
  });
});
