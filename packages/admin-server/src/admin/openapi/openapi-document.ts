// The document is written by hand. A test calls each operation on a running server and validates its responses. The
// schema of the config is at `GET /config/schema`, because it depends on the loaded modules.

import { version } from "lifecycle";
import { configOperations } from "./config-operations.ts";
import { documentOperations } from "./document-operations.ts";
import { processOperations } from "./process-operations.ts";

const text = { type: "string" };
/** A place in the config that a report names. */
const placeInConfig = {
  type: ["string", "null"],
  description: "JSON pointer to it in the config; null for what the server added.",
};
const count = { type: "integer", minimum: 0 };

/** Bodies that several operations share. */
const schemas = {
  Error: {
    type: "object",
    required: ["error"],
    properties: { error: { ...text, description: "What is wrong, and where." } },
  },
  Config: { type: ["object", "null"], description: "See GET /config/schema." },
  Warning: {
    type: "object",
    required: ["message"],
    properties: { file: text, line: { type: "integer", minimum: 1 }, directive: text, message: text },
    additionalProperties: false,
  },
  Warnings: {
    type: "object",
    properties: { warnings: { type: "array", items: { $ref: "#/components/schemas/Warning" } } },
    additionalProperties: false,
  },
  Adapted: {
    type: "object",
    required: ["result"],
    properties: {
      warnings: { type: "array", items: { $ref: "#/components/schemas/Warning" } },
      result: { description: "The config." },
    },
    additionalProperties: false,
  },
  Fault: {
    type: "object",
    required: ["path", "message"],
    properties: {
      path: { ...text, description: "Of the offending field: `/config/apps/…`." },
      message: text,
    },
    additionalProperties: false,
  },
  Verdict: {
    type: "object",
    required: ["valid", "changes"],
    properties: {
      valid: { type: "boolean" },
      error: { ...text, description: "What a load would answer." },
      errors: { type: "array", maxItems: 100, items: { $ref: "#/components/schemas/Fault" } },
      warnings: { type: "array", items: { $ref: "#/components/schemas/Warning" } },
      changes: { $ref: "#/components/schemas/JsonPatch" },
    },
    additionalProperties: false,
  },
  JsonPatch: {
    type: "array",
    description: "RFC 6902.",
    maxItems: 10_000,
    items: {
      type: "object",
      required: ["op", "path"],
      properties: {
        op: { enum: ["add", "remove", "replace", "move", "copy", "test"] },
        path: { ...text, description: "A JSON pointer, from the place that the request names." },
        from: text,
        value: { description: "Any JSON value." },
      },
    },
  },
  HistoryEntry: {
    type: "object",
    required: ["n", "at", "author", "bytes"],
    properties: {
      n: { type: "integer", minimum: 1 },
      at: { ...text, description: "When it began to run, RFC 3339." },
      author: { ...text, description: "Address of the client, or what else loaded it." },
      bytes: count,
      cause: {
        ...text,
        description: "The request that asked for it, method and path; absent where none did.",
      },
    },
    additionalProperties: false,
  },
  Rehearsal: {
    type: "object",
    required: [
      ...["server", "listeners", "routes", "passed", "passed_count", "failure", "answered_by"],
      ...["may_answer_before", "status", "headers"],
    ],
    properties: {
      server: { type: ["string", "null"], description: "Who takes it; null: nobody listens there." },
      listeners: {
        type: "array",
        items: { type: "object", properties: { address: text, tls: { type: "boolean" } } },
        description: "Where servers listen, when none takes it.",
      },
      routes: {
        type: "array",
        items: {
          type: "object",
          required: ["at", "handlers"],
          properties: {
            at: placeInConfig,
            handlers: {
              type: "array",
              items: {
                type: "object",
                required: ["at", "name", "effect"],
                properties: {
                  at: placeInConfig,
                  name: text,
                  effect: {
                    enum: ["ran", "changes the answer", "answers", "fails", "may answer", "has routes"],
                  },
                },
              },
            },
            after: {
              type: "object",
              properties: { method: text, host: text, uri: text },
              description: "The request after these handlers, where they changed it.",
            },
          },
        },
        description: "The routes that match, in order.",
      },
      passed: {
        type: "array",
        items: {
          type: "object",
          required: ["at", "refused_by"],
          properties: { at: placeInConfig, refused_by: { type: "array", items: text } },
        },
        description: "The first 200 routes that do not match, with the matcher of each set that refused.",
      },
      passed_count: count,
      failure: {
        type: ["object", "null"],
        properties: { status: { type: "integer" }, message: text },
        description: "Why the routes fail; error routes come after.",
      },
      answered_by: {
        type: ["object", "null"],
        required: ["at", "name", "config"],
        properties: { at: placeInConfig, name: text, config: { description: "Of the handler." } },
        description: "The first handler that answers for certain; null: none, so the answer is empty.",
      },
      may_answer_before: {
        type: "array",
        items: { type: "object", required: ["at", "name"], properties: { at: placeInConfig, name: text } },
        description: "Handlers on the way of which only a real request tells whether they answer.",
      },
      status: { type: ["integer", "null"], description: "Known where it depends on the config alone." },
      headers: {
        type: "object",
        additionalProperties: { type: "array", items: text },
        description: "Of that answer.",
      },
    },
    additionalProperties: false,
  },
  HttpRoute: {
    type: "object",
    required: [
      ...["at", "server", "kind", "hosts", "host_count", "paths", "path_count", "matchers", "handlers"],
      ...[
        "upstreams",
        "upstream_count",
        "unhealthy_upstreams",
        "requests_per_second",
        "errors_per_second",
        "timed",
        "p95_ms",
      ],
    ],
    properties: {
      at: { ...text, description: "JSON pointer to it in the config." },
      server: { ...text, description: "Name in the config." },
      kind: { ...text, description: "`errors`, the name of a named route, or nothing." },
      hosts: { type: "array", items: text, description: "The first of them; none: all hosts." },
      host_count: count,
      paths: { type: "array", items: text, description: "The first of them; none: all paths." },
      path_count: count,
      matchers: { type: "array", items: text, description: "Other matchers, by name." },
      handlers: { type: "array", items: text, description: "Outermost first." },
      upstreams: { type: "array", items: text, description: "The first of them." },
      upstream_count: count,
      unhealthy_upstreams: { ...count, description: "Those that fail an active check." },
      requests_per_second: { type: ["number", "null"], description: "null at the first question." },
      errors_per_second: { type: ["number", "null"], description: "Answers of 500 and above." },
      timed: { ...count, description: "Requests that were timed." },
      p95_ms: {
        type: ["number", "null"],
        description: "An estimate, right within 13 %; null with fewer than 20 timed requests.",
      },
    },
    additionalProperties: false,
  },
  Listener: {
    type: "object",
    required: ["address", "server", "tls", "protocols", "connections"],
    properties: {
      address: { ...text, description: "With the port in fact." },
      server: { ...text, description: "Name in the config." },
      tls: { type: "boolean", description: "Whether connections begin with a TLS handshake." },
      protocols: { type: "array", items: { enum: ["h1", "h2", "h2c"] } },
      connections: { ...count, description: "Open now." },
    },
    additionalProperties: false,
  },
  Certificates: {
    type: "object",
    required: ["certificates", "pending"],
    properties: {
      certificates: {
        type: "array",
        items: {
          type: "object",
          required: [
            ...["names", "issuer", "serial", "fingerprint", "not_before", "not_after"],
            ...["key_type", "tags", "managed", "renew_at"],
          ],
          properties: {
            names: { type: "array", items: text },
            issuer: text,
            serial: { ...text, description: "Hexadecimal." },
            fingerprint: { ...text, description: "SHA-256." },
            not_before: { ...text, description: "RFC 3339." },
            not_after: { ...text, description: "RFC 3339." },
            key_type: text,
            tags: { type: "array", items: text },
            managed: { type: "boolean", description: "Whether this server obtains and renews it." },
            renew_at: { type: ["string", "null"], description: "RFC 3339." },
          },
          additionalProperties: false,
        },
      },
      pending: {
        type: "array",
        description: "Names without a certificate, and those whose renewal fails.",
        items: {
          type: "object",
          required: ["name", "failures", "error"],
          properties: { name: text, failures: count, error: { type: ["string", "null"] } },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
  },
  Upstream: {
    type: "object",
    required: ["address", "num_requests", "fails"],
    properties: {
      address: text,
      num_requests: { ...count, description: "Requests under way." },
      fails: { ...count, description: "Failures that passive health checks remember." },
    },
  },
};

/** The admin API as an OpenAPI 3.1 document. Source: OpenAPI Specification 3.1.1 */
export function openapiDocument() {
  return {
    openapi: "3.1.1",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info: {
      title: "Admin API of the server",
      version: version.gitVersion.replace(/^v/, ""),
      description: 'Read and change the live configuration. Every refusal is JSON: `{"error": "…"}`.',
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://localhost:2019", description: "The default address." }],
    paths: { ...configOperations, ...documentOperations, ...processOperations },
    components: { schemas },
  };
}
