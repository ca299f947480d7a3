import { gzipSync } from "node:zlib";
import { expectEqual, expectIncludes } from "../expect.ts";
import type { Suite } from "../suite.ts";
import { ask } from "./ask.ts";
import { sampleTrace } from "./sample-trace.ts";

const json = { "Content-Type": "application/json" };
const protobuf = { "Content-Type": "application/x-protobuf" };

/** Cases of the OTLP/HTTP port: accepted requests, and the error for each kind of bad request. */
export const otlpHttp: Suite = {
  name: "tracing-api/otlp-http",
  needs: ["otlpHttp"],
  cases: [
    {
      name: "JSON is accepted, plain and gzipped",
      async run({ otlpHttp: base }) {
        const body = JSON.stringify(sampleTrace().otlpJson);
        const plain = await ask(`${base}/v1/traces`, { method: "POST", headers: json, body });
        expectEqual([plain.status, plain.text], [200, '{"partialSuccess":{}}'], "plain");
        const zipped = await ask(`${base}/v1/traces`, {
          method: "POST",
          headers: { ...json, "Content-Encoding": "gzip" },
          body: gzipSync(body),
        });
        expectEqual(zipped.status, 200, "gzipped");
      },
    },
    {
      name: "an empty protobuf request is fine",
      async run({ otlpHttp: base }) {
        const answer = await ask(`${base}/v1/traces`, { method: "POST", headers: protobuf, body: "" });
        expectEqual(answer.status, 200, "status");
      },
    },
    ...(
      [
        ["invalid JSON", json, "{", 400, "code"],
        ["truncated protobuf", protobuf, "\n\u0050ab", 400, ""],
        [
          "a wrong content type",
          { "Content-Type": "text/xml" },
          "<a/>",
          415,
          "415 unsupported media type, supported: [application/json, application/x-protobuf]",
        ],
        ["a body that is not gzip", { ...json, "Content-Encoding": "gzip" }, "not gzip", 400, ""],
      ] as const
    ).map(([what, headers, body, status, text]) => ({
      name: `${what} answers ${status}, and the next request is served`,
      async run({ otlpHttp: base }: { otlpHttp: string }) {
        const answer = await ask(`${base}/v1/traces`, { method: "POST", headers, body });
        expectEqual(answer.status, status, "status");
        expectIncludes(answer.text, text, "text");
        const next = await ask(`${base}/v1/traces`, { method: "POST", headers: json, body: "{}" });
        expectEqual(next.status, 200, "next request");
      },
    })),
    {
      name: "GET answers 405, other paths 404",
      async run({ otlpHttp: base }) {
        const get = await ask(`${base}/v1/traces`);
        expectEqual([get.status, get.text.trim()], [405, "405 method not allowed, supported: [POST]"], "GET");
        const metrics = await ask(`${base}/v1/metrics`, { method: "POST", headers: json, body: "{}" });
        expectEqual([metrics.status, metrics.text.trim()], [404, "404 page not found"], "/v1/metrics");
      },
    },
  ],
};
