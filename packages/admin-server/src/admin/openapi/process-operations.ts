import { guards, json, query, refused } from "./operations.ts";

const seconds = query("seconds", "How long to look (30), at most 300.", {
  type: "number",
  exclusiveMinimum: 0,
  maximum: 300,
});
const busy = refused("Another profile is being taken.");

function text(description: string, mediaType: string) {
  return { description, content: { [mediaType]: { schema: { type: "string" } } } };
}

/** What tells about the running process. */
export const processOperations = {
  "/reverse_proxy/upstreams": {
    get: {
      operationId: "upstreams",
      summary: "All servers behind all proxies",
      responses: {
        "200": json("The upstreams.", { type: "array", items: { $ref: "#/components/schemas/Upstream" } }),
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
      parameters: [seconds],
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
