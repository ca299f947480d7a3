import { guards, json, listPageParameters, query, refused, totalCount } from "./operations.ts";

/** Duration of a profile. */
const seconds = query("seconds", "How long to look (30), at most 300.", {
  type: "number",
  exclusiveMinimum: 0,
  maximum: 300,
});
/** Parameter with the number of the thread to profile. */
const thread = query("thread", "Which worker, 1 and up; 0 is the main thread (0).", {
  type: "integer",
  minimum: 0,
  maximum: 999,
});
const busy = refused("Another profile is being taken.");

/** An answer that is a text. */
function text(description: string, mediaType: string) {
  return { description, content: { [mediaType]: { schema: { type: "string" } } } };
}

/** Operations that report about the running process. */
export const processOperations = {
  "/reverse_proxy/upstreams": {
    get: {
      operationId: "upstreams",
      summary: "All servers behind all proxies; the parameters after `detail` count only with it",
      parameters: [
        query("detail", "`true` tells how each of them is.", { type: "boolean" }),
        query("order", "What comes first; the order of the pool when absent.", {
          enum: ["address", "trouble", "requests", "fails", "latency"],
        }),
        ...listPageParameters,
      ],
      responses: {
        "200": {
          ...json("The upstreams.", { type: "array", items: { $ref: "#/components/schemas/Upstream" } }),
          headers: totalCount,
        },
        ...guards,
      },
    },
  },
  "/pull": {
    get: {
      operationId: "pull",
      summary: "How it went to fetch the config from its source; null where it has none",
      responses: {
        "200": json("The state.", {
          type: ["object", "null"],
          properties: {
            url: { type: "string", description: "Without user, password and query." },
            last_try: { type: ["string", "null"], description: "RFC 3339; null where it was not asked yet." },
            last_success: { type: ["string", "null"], description: "RFC 3339." },
            last_error: { type: ["string", "null"], description: "The fault of the last try." },
          },
          required: ["url", "last_try", "last_success", "last_error"],
          additionalProperties: false,
        }),
        ...guards,
      },
    },
  },
  "/http/routes": {
    get: {
      operationId: "httpRoutes",
      summary: "The routes of the running config, with their requests of the last half minute",
      parameters: [
        query("order", "What comes first; the order of the config when absent.", {
          enum: ["config", "host", "rate", "errors", "p95"],
        }),
        ...listPageParameters,
      ],
      responses: {
        "200": {
          ...json("The routes.", { type: "array", items: { $ref: "#/components/schemas/HttpRoute" } }),
          headers: totalCount,
        },
        ...guards,
      },
    },
  },
  "/http/rehearsal": {
    get: {
      operationId: "httpRehearsal",
      summary:
        "What would become of a request by the running config; nobody is asked, and nothing is counted",
      parameters: [
        {
          ...(query("url", "Scheme, host, path and query.", { type: "string", maxLength: 8_192 }) as object),
          required: true,
        },
        query("method", "Its method (GET).", { type: "string", maxLength: 64 }),
        query("header", "A field, `Name: value`; may be given several times.", {
          type: "array",
          items: { type: "string", maxLength: 8_192 },
          maxItems: 100,
        }),
        query("client", "Address of the client (127.0.0.1).", { type: "string" }),
      ],
      responses: {
        "200": json("The way of the request.", { $ref: "#/components/schemas/Rehearsal" }),
        ...guards,
      },
    },
  },
  "/listeners": {
    get: {
      operationId: "listeners",
      summary: "Where sites are served, over all threads",
      parameters: listPageParameters,
      responses: {
        "200": {
          ...json("The listeners.", { type: "array", items: { $ref: "#/components/schemas/Listener" } }),
          headers: totalCount,
        },
        ...guards,
      },
    },
  },
  "/tls/certificates": {
    get: {
      operationId: "certificates",
      summary: "Certificates that the server can show, those that end first before the others",
      description:
        "With `limit`, at most as many `pending` names too, those that failed most before the others.",
      parameters: listPageParameters,
      responses: {
        "200": {
          ...json("The certificates.", { $ref: "#/components/schemas/Certificates" }),
          headers: {
            ...totalCount,
            "X-Pending-Count": { description: "Pending names that match.", schema: { type: "integer" } },
            "X-Failing-Count": { description: "Those with an error.", schema: { type: "integer" } },
            "X-Ends-Within-Days": {
              description: "How many end so soon: `0=1, 7=2, 30=5, 90=80`; each counts those before it.",
              schema: { type: "string" },
            },
          },
        },
        ...guards,
      },
    },
  },
  "/ui/": {
    get: {
      operationId: "console",
      summary: "The console, for browsers: also below this path; off with `admin.ui: false`",
      responses: { "200": text("A page.", "text/html"), ...guards, "404": text("It is off.", "text/plain") },
    },
  },
  "/cache": {
    get: {
      operationId: "caches",
      summary: "What the response caches hold, in each thread",
      responses: {
        "200": json("The caches.", {
          type: "object",
          properties: {
            caches: {
              type: "array",
              items: {
                type: "object",
                properties: {
                  responses: { type: "integer" },
                  bytes: { type: "integer" },
                  max_bytes: { type: "integer" },
                },
                required: ["responses", "bytes", "max_bytes"],
              },
            },
          },
          required: ["caches"],
        }),
        ...guards,
      },
    },
    post: {
      operationId: "purgeCaches",
      summary: "Takes responses out of all caches: one address, all that begin so, or everything",
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: { url: { type: "string" }, prefix: { type: "string" }, all: { const: true } },
              minProperties: 1,
              maxProperties: 1,
              additionalProperties: false,
            },
          },
        },
      },
      responses: {
        "200": json("How many addresses are gone, over all threads.", {
          type: "object",
          properties: { purged: { type: "integer" } },
          required: ["purged"],
        }),
        ...guards,
      },
    },
  },
  "/metrics": {
    get: {
      operationId: "metrics",
      summary: "Metrics of the process",
      responses: { "200": text("Prometheus text.", "text/plain"), ...guards },
    },
  },
  "/openapi.json": {
    get: {
      operationId: "openapi",
      summary: "This document",
      responses: { "200": json("OpenAPI 3.1.", { type: "object" }), ...guards },
    },
  },
  "/debug/vars": {
    get: {
      operationId: "vars",
      summary: "The process in numbers",
      responses: { "200": json("Memory, CPU time, version.", { type: "object" }), ...guards },
    },
  },
  "/debug/pprof/": {
    get: {
      operationId: "profiles",
      summary: "A page of all profiles",
      responses: { "200": text("HTML.", "text/html"), ...guards },
    },
  },
  "/debug/pprof/profile": {
    get: {
      operationId: "cpuProfile",
      summary: "Where CPU time goes (.cpuprofile)",
      parameters: [seconds, thread],
      responses: { "200": json("V8's CPU profile.", { type: "object" }), ...guards, "503": busy },
    },
  },
  "/debug/pprof/allocs": {
    get: {
      operationId: "allocationProfile",
      summary: "What is allocated and kept meanwhile, sampled (.heapprofile)",
      parameters: [seconds],
      responses: { "200": json("V8's sampling heap profile.", { type: "object" }), ...guards, "503": busy },
    },
  },
  "/debug/pprof/heap": {
    get: {
      operationId: "heapSnapshot",
      summary: "All that is on the heap (.heapsnapshot)",
      description: "Stops the server for a moment, and holds the secrets of the config.",
      responses: { "200": json("V8's heap snapshot.", { type: "object" }), ...guards, "503": busy },
    },
  },
  "/debug/pprof/cmdline": {
    get: {
      operationId: "commandLine",
      summary: "The command line, its parts set apart by NUL",
      responses: { "200": text("Text.", "text/plain"), ...guards },
    },
  },
};
